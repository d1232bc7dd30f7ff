//! Points in time: ISO 8601 text and epoch milliseconds → microseconds since 1970 (UTC), and back to text.

use std::ops::RangeInclusive;

use tantivy::DateTime;

/// Epoch milliseconds from which on there is no date: 200 000 years away.
const EPOCH_MS_END: f64 = 6.3e15;

/// Years that texts may have, of which each moment in any zone is nearer.
const YEARS: RangeInclusive<i64> = -197_667..=201_607;

/// Microseconds since 1970 of `2024-02-29`, `2024-02-29T12:30`, `…:15`, `…:15.123456`, each with
/// `Z`, an offset such as `+02:00`, or nothing (then UTC). Years before 0 and after 9999 have a sign and six
/// digits. Anything else is no date.
pub fn parse_date(text: &str) -> Option<i64> {
    if text.len() > 40 {
        return None;
    }
    let (year, bytes) = year(text.as_bytes())?;
    if bytes.len() < 6 || bytes[0] != b'-' || bytes[3] != b'-' {
        return None;
    }
    let (month, day) = (digits(&bytes[1..3])?, digits(&bytes[4..6])?);
    if !(1..=12).contains(&month) || day < 1 || day > month_days(year, month) {
        return None;
    }
    let mut micros = days_from_civil(year, month, day) * 86_400_000_000;
    if bytes.len() == 6 {
        return Some(micros);
    }
    if !matches!(bytes[6], b'T' | b't' | b' ') || bytes.len() < 12 || bytes[9] != b':' {
        return None;
    }
    let (hour, minute) = (digits(&bytes[7..9])?, digits(&bytes[10..12])?);
    if hour > 23 || minute > 59 {
        return None;
    }
    micros += (hour * 3600 + minute * 60) * 1_000_000;
    let mut rest = &bytes[12..];
    if rest.first() == Some(&b':') {
        let second = digits(rest.get(1..3)?)?;
        if second > 60 {
            return None;
        }
        micros += second * 1_000_000;
        rest = &rest[3..];
        if matches!(rest.first(), Some(b'.' | b',')) {
            let end = rest[1..]
                .iter()
                .position(|b| !b.is_ascii_digit())
                .map_or(rest.len(), |i| i + 1);
            if end == 1 {
                return None;
            }
            let mut fraction = 0;
            for i in 0..6 {
                let digit = rest[1..end].get(i).map_or(0, |b| i64::from(b - b'0'));
                fraction = fraction * 10 + digit;
            }
            micros += fraction;
            rest = &rest[end..];
        }
    }
    Some(micros - offset(rest)? * 60_000_000)
}

/// Microseconds of epoch milliseconds; `None` from `EPOCH_MS_END` on, either way.
pub fn from_epoch_ms(ms: f64) -> Option<i64> {
    (ms.abs() < EPOCH_MS_END).then(|| (ms * 1000.0).round() as i64)
}

/// Microseconds since 1970 as a column of dates keeps them. Tantivy counts nanoseconds there, which reach from 1677 to
/// 2262 only, and asks nothing of them but their order: `9999-12-31`, for "until further notice", has its place, too.
pub fn as_indexed(micros: i64) -> DateTime {
    DateTime::from_timestamp_nanos(micros)
}

/// The year at the beginning of a text, and what is behind it.
fn year(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let sign = match bytes.first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return Some((digits(bytes.get(..4)?)?, &bytes[4..])),
    };
    let year = sign * digits(bytes.get(1..7)?)?;
    // ISO 8601 has no -000000.
    let is_year = YEARS.contains(&year) && (year != 0 || sign > 0);
    is_year.then(|| (year, &bytes[7..]))
}

/// Minutes of `Z`, `+02:00`, `-0530`, `+02` or nothing.
fn offset(bytes: &[u8]) -> Option<i64> {
    let sign = match bytes.first() {
        None => return Some(0),
        Some(b'Z' | b'z') if bytes.len() == 1 => return Some(0),
        Some(b'+') => 1,
        Some(b'-') => -1,
        Some(_) => return None,
    };
    let hours = digits(bytes.get(1..3)?)?;
    let minutes = match &bytes[3..] {
        [] => 0,
        [b':', rest @ ..] | rest if rest.len() == 2 => digits(rest)?,
        _ => return None,
    };
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * 60 + minutes))
}

fn digits(bytes: &[u8]) -> Option<i64> {
    bytes.iter().try_fold(0i64, |number, byte| {
        byte.is_ascii_digit()
            .then(|| number * 10 + i64::from(byte - b'0'))
    })
}

fn month_days(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 in the Gregorian calendar (Hinnant, "chrono-compatible low-level date
/// algorithms").
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + day_of_year - 719_468
}

/// ISO 8601 in UTC of microseconds since 1970: with milliseconds, and microseconds if there are any. Years before 0 and
/// after 9999 have a sign and six digits.
pub fn iso(micros: i64) -> String {
    let (ms, micros) = (micros.div_euclid(1000), micros.rem_euclid(1000));
    let (day, of_day) = (ms.div_euclid(86_400_000), ms.rem_euclid(86_400_000));
    let (year, month, date) = civil(day);
    let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
    let (second, ms) = (of_day / 1000 % 60, of_day % 1000);
    let fraction = if micros == 0 {
        format!("{ms:03}")
    } else {
        format!("{ms:03}{micros:03}")
    };
    let year = match year {
        0..=9999 => format!("{year:04}"),
        _ => format!("{year:+07}"),
    };
    format!("{year}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}.{fraction}Z")
}

/// Year, month, day of a day number (Hinnant, "chrono-compatible low-level date algorithms").
fn civil(day: i64) -> (i64, i64, i64) {
    let shifted = day + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, date)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_to_the_microsecond() {
        assert_eq!(parse_date("1970-01-01"), Some(0));
        assert_eq!(parse_date("1970-01-01T00:00:01Z"), Some(1_000_000));
        assert_eq!(parse_date("1970-01-01T02:00:00.5+02:00"), Some(500_000));
        assert_eq!(parse_date("1969-12-31T23:59"), Some(-60_000_000));
        assert_eq!(parse_date("2024-02-29"), Some(1_709_164_800_000_000));
        assert_eq!(
            parse_date("2000-03-01T00:00:00-0530"),
            Some(951_888_600_000_000)
        );
        assert_eq!(
            parse_date("2024-01-01 10:00:00.123456789"),
            Some(1_704_103_200_123_456)
        );
    }

    #[test]
    fn dates_reach_two_hundred_thousand_years() {
        let days = [
            "-197667-01-01",
            "-000001-12-31",
            "0000-01-01",
            "0001-01-01",
            "1492-10-12",
            "9999-12-31",
            "+010000-01-01",
            "+201607-12-31",
        ];
        let read: Vec<i64> = days.iter().filter_map(|day| parse_date(day)).collect();
        assert_eq!(read.len(), days.len());
        assert!(read.is_sorted());
        for (day, micros) in days.iter().zip(read) {
            assert_eq!(iso(micros), format!("{day}T00:00:00.000Z"));
        }
        assert_eq!(parse_date("+002026-01-01"), parse_date("2026-01-01"));
        let far = "-197667-01-01T00:00+23:59";
        assert!(
            parse_date(far).is_some_and(|micros| from_epoch_ms(micros as f64 / 1000.0).is_some())
        );
        for text in [
            "-000000-01-01",
            "-197668-12-31",
            "+201608-01-01",
            "+12026-01-01",
        ] {
            assert_eq!(parse_date(text), None, "{text}");
        }
        assert_eq!(from_epoch_ms(-6.2e15), Some(-6_200_000_000_000_000_000));
        assert_eq!(from_epoch_ms(6.3e15), None);
        assert_eq!(from_epoch_ms(f64::NAN), None);
    }

    #[test]
    fn what_is_no_date_stays_text() {
        for text in [
            "",
            "2024",
            "2024-02-30",
            "2023-02-29",
            "2024-13-01",
            "2024-01-01x",
            "2024-01-01T25:00",
            "2024-01-01T10",
            "2024-01-01T10:00:00.",
            "2024-01-01T10:00+2",
            "20240101",
            "２０２４-01-01",
            "2024-01-01T10:00Zx",
        ] {
            assert_eq!(parse_date(text), None, "{text}");
        }
    }

    #[test]
    fn dates_are_written_as_they_are_read() {
        for text in [
            "1970-01-01T00:00:00.000Z",
            "2024-02-29T23:59:59.999Z",
            "1969-12-31T00:00:00.001Z",
            "2000-03-01T12:30:00.000Z",
            "2000-03-01T12:30:00.000250Z",
            "1969-12-31T00:00:00.001999Z",
        ] {
            assert_eq!(iso(parse_date(text).unwrap()), text);
        }
    }
}
