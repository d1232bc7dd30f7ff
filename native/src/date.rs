//! Points in time: ISO 8601 text and epoch milliseconds → microseconds since 1970 (UTC), and back to text.

/// Microseconds since 1970 of `2024-02-29`, `2024-02-29T12:30`, `…:15`, `…:15.123456`, each with
/// `Z`, an offset such as `+02:00`, or nothing (then UTC). Anything else is no date.
pub fn parse_date(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    if bytes.len() < 10 || bytes.len() > 40 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let (year, month, day) = (
        digits(&bytes[0..4])?,
        digits(&bytes[5..7])?,
        digits(&bytes[8..10])?,
    );
    if !(1..=12).contains(&month) || day < 1 || day > month_days(year, month) {
        return None;
    }
    let mut micros = days_from_civil(year, month, day) * 86_400_000_000;
    if bytes.len() == 10 {
        return Some(micros);
    }
    if !matches!(bytes[10], b'T' | b't' | b' ') || bytes.len() < 16 || bytes[13] != b':' {
        return None;
    }
    let (hour, minute) = (digits(&bytes[11..13])?, digits(&bytes[14..16])?);
    if hour > 23 || minute > 59 {
        return None;
    }
    micros += (hour * 3600 + minute * 60) * 1_000_000;
    let mut rest = &bytes[16..];
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

/// Microseconds of epoch milliseconds; `None` outside of ±200 000 years.
pub fn from_epoch_ms(ms: f64) -> Option<i64> {
    (ms.is_finite() && ms.abs() < 6.3e15).then(|| (ms * 1000.0).round() as i64)
}

/// Whether an instant, in microseconds since 1970, can be indexed: the index counts nanoseconds, which
/// reach from 1677 to 2262. Beyond, they would wrap around to another date.
pub fn is_indexable(micros: i64) -> bool {
    micros.checked_mul(1000).is_some()
}

/// Microseconds since 1970 of a text that is a date where no mapping says what it is. One that
/// can't be indexed is text there.
pub fn date_unmapped(text: &str) -> Option<i64> {
    parse_date(text).filter(|micros| is_indexable(*micros))
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

/// ISO 8601 in UTC of nanoseconds since 1970: with milliseconds, and microseconds if there are any.
pub fn iso(nanos: i64) -> String {
    let micros = nanos.div_euclid(1000);
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
    format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}.{fraction}Z")
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
    fn dates_that_would_wrap_around_are_not_indexed() {
        for text in ["1677-09-22", "2262-04-11", "1970-01-01"] {
            assert_eq!(date_unmapped(text), parse_date(text), "{text}");
        }
        for text in ["1677-09-20", "2262-04-12", "0001-01-01", "9999-12-31"] {
            assert!(parse_date(text).is_some(), "{text}");
            assert_eq!(date_unmapped(text), None, "{text}");
        }
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
            assert_eq!(iso(parse_date(text).unwrap() * 1000), text);
        }
    }
}
