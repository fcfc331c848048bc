//! A verifier that gives the wrong verdict in one of some runs, at random, is never taken for a brittle proof.
//!
//! The random numbers come from the number of the stream and a counter, so each stream is fixed, except that
//! two runs at the same time may swap their numbers.

use std::collections::BTreeMap;
use std::fs;

use crate::support::{Sandbox, json, script};
use crate::test::ROBUST;

/// The streams of each rate; `MUGIE_STREAMS` sets another number.
const STREAMS: usize = 20;

/// Mutants of each test. More of them make a flip more likely.
const MUTANTS: &str = "100";

/// The number of streams to run.
fn streams(usual: usize) -> usize {
    let asked = std::env::var("MUGIE_STREAMS").ok();
    asked.map_or(usual, |asked| asked.parse().expect("MUGIE_STREAMS is a number"))
}

/// The answers of tests with a verifier that is wrong in one of `rate` runs.
#[expect(clippy::print_stderr, reason = "the shares are the result")]
fn answers(rate: usize, streams: usize) -> BTreeMap<String, usize> {
    let sandbox = Sandbox::new(&[("seed.bpl", ROBUST)]);
    let mut answers = BTreeMap::new();
    for stream in 0..streams {
        let count = sandbox.path(&format!("count-{stream}"));
        let body = format!(
            "printf x >> {0}
             random=$(echo {rate} {stream} $(wc -c < {0}) | md5sum | cut -c1-7)
             [ $((0x$random % {rate})) = 0 ] && echo 'it finished with 0 verified, 1 error' && exit 1
             echo 'it finished with 1 verified, 0 errors'",
            count.display()
        );
        script(&sandbox, "verifier", &body);
        let tool = ["--verifier", "command", "--program", "./verifier", "--no-cache", "--json"];
        let run =
            sandbox.run(&[&["test", "seed.bpl", "-n", MUTANTS, "-j", "2"][..], &tool].concat());
        let seed = &json(&run)["seeds"][0];
        let answer = seed["answer"].as_str().unwrap().to_owned();
        // No format accuses the program.
        let is_found = answer == "nondeterministic";
        assert_eq!(run.code == 1, is_found, "{run:?}");
        assert_eq!(seed["controls"]["moved"].is_string(), is_found, "{seed:#}");
        *answers.entry(answer).or_default() += 1;
        fs::remove_file(count).unwrap();
    }
    eprintln!("wrong in one of {rate} runs, {streams} streams: {answers:?}");
    answers
}

#[test]
fn a_verifier_that_flips_one_run_in_twenty_is_never_called_brittle() {
    let streams = streams(STREAMS);
    let answers = answers(20, streams);
    assert!(!answers.contains_key("brittle"), "{answers:?}");
    let found = answers.get("nondeterministic").copied().unwrap_or_default();
    // Without a flip in all runs of a test there is nothing to find: 0.95^103 is half a percent.
    assert!(found * 10 >= streams * 9, "{answers:?}");
    assert_eq!(answers.values().sum::<usize>(), streams, "{answers:?}");
}

#[test]
fn a_verifier_that_flips_more_or_less_often_is_never_called_brittle() {
    let often = answers(3, streams(STREAMS));
    assert!(often.keys().all(|it| it == "nondeterministic" || it == "seed-fails"), "{often:?}");
    let seldom = answers(100, streams(STREAMS / 3));
    assert!(seldom.keys().all(|it| it == "nondeterministic" || it == "robust"), "{seldom:?}");
}
