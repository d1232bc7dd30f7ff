use super::dense::left_singular_vectors;
use super::*;

/// Documents of 5 topics: words of the topic, words of everybody.
fn corpus(documents: usize) -> Counts {
    let mut random = Random(3);
    let mut postings: Vec<Vec<(u32, u32)>> = vec![Vec::new(); 400];
    for row in 0..documents {
        for _ in 0..30 {
            let topical = random.below(3) > 0;
            let term = if topical {
                80 * (row % 5) + random.below(80)
            } else {
                random.below(400)
            };
            postings[term].push((row as u32, 1));
        }
    }
    let postings = postings.into_iter().enumerate().map(|(term, found)| {
        let rows: std::collections::HashSet<u32> = found.iter().map(|entry| entry.0).collect();
        (format!("t{term}"), rows.len() as u32, found)
    });
    Counts::from_postings(documents, postings)
}

fn options(dimensions: usize) -> Options {
    Options {
        dimensions,
        ..Options::default()
    }
}

fn learn(counts: &Counts, documents: usize, options: &Options) -> Model {
    fit(&mut counts.clone(), documents, options, &|| Ok(())).unwrap()
}

fn embed(model: &Model, counts: &Counts, row: usize) -> Vec<f32> {
    let mut out = vec![0.0; model.dimensions()];
    let named = counts
        .row(row)
        .filter_map(|(id, frequency)| Some((model.term(&counts.terms[id as usize])?, frequency)));
    assert!(model.embed(named, &mut out));
    out
}

fn product(left: &[f32], right: &[f32]) -> f64 {
    left.iter()
        .zip(right)
        .map(|(a, b)| f64::from(*a) * f64::from(*b))
        .sum()
}

fn column(matrix: &Matrix, column: usize, rows: usize) -> Vec<f32> {
    (0..rows).map(|row| matrix.row(row)[column]).collect()
}

#[test]
fn counts_add_up_the_fields_of_a_document() {
    let postings = [("a", vec![(1, 2), (0, 1), (1, 3)]), ("b", vec![(1, 1)])];
    let counts = Counts::from_postings(
        3,
        postings
            .into_iter()
            .map(|(term, found)| (term.to_string(), 2, found)),
    );
    assert_eq!(counts.rows(), 3);
    assert_eq!(counts.row(0).collect::<Vec<_>>(), [(0, 1)]);
    assert_eq!(counts.row(1).collect::<Vec<_>>(), [(0, 5), (1, 1)]);
    assert_eq!(counts.row(2).count(), 0);
}

#[test]
fn orthonormal_columns_span_the_same_space_and_dependent_ones_vanish() {
    let mut matrix = Matrix::random(500, 32, 5);
    let copy = column(&matrix, 3, 500);
    for (_, row) in matrix.row_parts_mut(1) {
        row[20] = 2.0 * row[3] - row[7];
    }
    dense::orthonormalize(&mut matrix, 2);
    dense::orthonormalize(&mut matrix, 2);
    let columns: Vec<_> = (0..32).map(|at| column(&matrix, at, 500)).collect();
    for left in 0..32 {
        for right in 0..32 {
            let wanted = if left == right && left != 20 {
                1.0
            } else {
                0.0
            };
            let found = product(&columns[left], &columns[right]);
            assert!((found - wanted).abs() < 1e-5, "{left} {right} {found}");
        }
    }
    let inside: f64 = columns
        .iter()
        .map(|axis| product(axis, &copy).powi(2))
        .sum();
    assert!((inside / product(&copy, &copy) - 1.0).abs() < 1e-4);
}

#[test]
fn a_known_decomposition_is_found() {
    // U diag(9, 4, 2, 0…) Vᵀ with U and V from orthonormalised random columns.
    let (mut left, mut right) = (Matrix::random(90, 16, 1), Matrix::random(16, 16, 2));
    for matrix in [&mut left, &mut right] {
        dense::orthonormalize(matrix, 1);
        dense::orthonormalize(matrix, 1);
    }
    let sizes = [9.0, 4.0, 2.0];
    let mut matrix = Matrix::zeros(90, 16);
    for (row, values) in matrix.row_parts_mut(1) {
        for (at, value) in values.iter_mut().enumerate() {
            *value = (0..3)
                .map(|axis| left.row(row)[axis] * sizes[axis] * right.row(at)[axis])
                .sum();
        }
    }
    let found = left_singular_vectors(&mut matrix, 1);
    for (axis, size) in sizes.iter().enumerate() {
        assert!((found[axis] - f64::from(*size)).abs() < 1e-4, "{found:?}");
        let cosine = product(&column(&matrix, axis, 90), &column(&left, axis, 90));
        assert!((cosine.abs() - 1.0).abs() < 1e-4, "axis {axis}: {cosine}");
    }
    assert!(column(&matrix, 3, 90).iter().all(|value| *value == 0.0));
}

#[test]
fn the_axes_of_a_fit_are_orthonormal() {
    let model = learn(&corpus(600), 600, &options(32));
    let terms = model.weights.len();
    let mut decoded = vec![0.0; model.axes.len()];
    half::decode(&model.axes, &mut decoded);
    for left in 0..32 {
        for right in 0..=left {
            let sum: f64 = decoded
                .chunks_exact(32)
                .map(|row| f64::from(row[left]) * f64::from(row[right]))
                .sum::<f64>()
                / terms as f64;
            assert!(
                (sum - f64::from(u8::from(left == right))).abs() < 2e-3,
                "{left} {right} {sum}"
            );
        }
    }
}

#[test]
fn a_fit_does_not_depend_on_threads_or_on_when_it_runs() {
    let counts = corpus(700);
    let first = learn(
        &counts,
        700,
        &Options {
            threads: 1,
            ..options(32)
        },
    );
    for threads in [1, 2, 5] {
        let again = learn(
            &counts,
            700,
            &Options {
                threads,
                ..options(32)
            },
        );
        assert!(again.axes == first.axes && again.cut == first.cut);
    }
}

#[test]
fn documents_of_one_topic_are_near_and_a_later_document_gets_the_vector_of_its_twin() {
    let counts = corpus(600);
    let model = learn(&counts, 600, &options(16));
    let vectors: Vec<_> = (0..600).map(|row| embed(&model, &counts, row)).collect();
    let mean = |step: usize| {
        (0..500)
            .map(|row| product(&vectors[row], &vectors[row + step]))
            .sum::<f64>()
            / 500.0
    };
    assert!(mean(5) > 0.6 && mean(1) < 0.3, "{} {}", mean(5), mean(1));
    assert!(model.cut > 0.05 && f64::from(model.cut) < 0.95);
    let mut twin = vec![0.0; 16];
    let terms: Vec<_> = counts
        .row(7)
        .map(|(id, times)| (&counts.terms[id as usize], times))
        .collect();
    assert!(model.embed(
        terms
            .iter()
            .rev()
            .filter_map(|(term, times)| Some((model.term(term)?, *times))),
        &mut twin
    ));
    assert!(product(&twin, &vectors[7]) > 0.999_99);
}

#[test]
fn hardly_any_documents_and_no_documents_are_fine() {
    for documents in [0, 1, 2, 7] {
        let counts = corpus(documents);
        let model = learn(&counts, documents, &options(64));
        assert_eq!(model.dimensions(), 64);
        for row in 0..documents {
            let mut out = vec![0.0; 64];
            let terms = counts
                .row(row)
                .filter_map(|(id, times)| Some((model.term(&counts.terms[id as usize])?, times)));
            if model.embed(terms, &mut out) {
                assert!((product(&out, &out) - 1.0).abs() < 1e-4);
            }
        }
    }
}

#[test]
fn the_vocabulary_leaves_out_rare_terms_and_keeps_to_its_limit() {
    let counts = corpus(300);
    let small = learn(
        &counts,
        300,
        &Options {
            vocabulary_max: 50,
            ..options(16)
        },
    );
    assert_eq!(small.weights.len(), 50);
    let strict = learn(
        &counts,
        300,
        &Options {
            df_min: 301,
            ..options(16)
        },
    );
    assert_eq!(strict.weights.len(), 0);
    assert!(!strict.embed([(0, 1)].into_iter(), &mut [0.0; 16]));
}

#[test]
fn learning_ends_where_it_may_not_go_on() {
    let counts = corpus(600);
    let asked = std::cell::Cell::new(0);
    let stop_at = |last: usize| {
        asked.set(0);
        let go_on = || {
            asked.set(asked.get() + 1);
            if asked.get() > last {
                return Err(Failure::bad_request("stopped"));
            }
            Ok(())
        };
        fit(&mut counts.clone(), 600, &options(32), &go_on)
    };
    let all = {
        assert!(stop_at(usize::MAX).is_ok());
        asked.get()
    };
    assert!(all >= 8, "{all}");
    for last in [0, all / 2, all - 1] {
        assert!(stop_at(last).is_err());
        assert_eq!(asked.get(), last + 1);
    }
}

/// Documents of 40 words, each once or twice, of the words of their own group of five, or of all.
fn groups(documents: usize, times: u32, own: bool) -> Counts {
    let mut random = Random(11);
    let mut postings: Vec<Vec<(u32, u32)>> = vec![Vec::new(); documents / 5 * 60];
    for row in 0..documents {
        let mut words = std::collections::HashSet::new();
        while words.len() < 40 {
            words.insert(match own {
                true => row / 5 * 60 + random.below(60),
                false => random.below(postings.len()),
            });
        }
        for word in words {
            postings[word].push((row as u32, times));
        }
    }
    let postings = postings.into_iter().enumerate();
    Counts::from_postings(
        documents,
        postings.map(|(term, found)| (format!("t{term}"), found.len() as u32, found)),
    )
}

#[test]
fn documents_that_say_nothing_twice_tell_little_of_what_vectors_are_worth() {
    let share = |text, vector| share_of(held_out::Found { text, vector });
    assert_eq!(share(0.08, 0.12), SHARE_MIN as f32);
    assert_eq!(share(0.12, 0.17), 0.25);
    assert_eq!(share(0.16, 0.2), 0.35);
    assert_eq!(share(0.2, 0.3), SHARE_MAX as f32);
    assert_eq!(share(0.0, 0.5), SHARE_MAX as f32);
}

#[test]
fn vectors_count_for_more_where_words_of_one_topic_stand_in_different_documents() {
    let share =
        |counts: &Counts, dimensions| learn(counts, counts.rows(), &options(dimensions)).share;
    // No word is left where it was, but others of its group are.
    assert_eq!(share(&groups(500, 1, true), 64), SHARE_MAX as f32);
    // Each word stands where it stood, and says nothing of others; eight numbers say little of it.
    assert_eq!(share(&groups(500, 2, false), 8), SHARE_MIN as f32);
    // Too few with enough words to tell.
    assert_eq!(share(&groups(300, 1, true), 64), SHARE);
    // Too few for vectors that long.
    assert_eq!(share(&groups(500, 1, true), 128), SHARE_MIN as f32);
}

#[test]
fn documents_lose_words_before_the_model_learns_of_them() {
    let counts = groups(500, 1, true);
    let terms: Vec<u32> = (0..counts.terms.len() as u32).collect();
    let queries = held_out::draw(&counts, &terms, &mut Random(1));
    assert_eq!(queries.len(), 125);
    let mut left = counts.clone();
    held_out::take_out(&mut left, &queries);
    let lost = |counts: &Counts| counts.frequencies.iter().filter(|n| **n == 0).count();
    assert_eq!((lost(&counts), lost(&left)), (0, 125 * 6));
}
