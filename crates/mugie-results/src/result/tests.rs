//! Tests of reading and writing reports.

use super::*;

pub(crate) fn report() -> TestReport {
    let [name, text] = ["boogie", "-"].map(str::to_owned);
    TestReport {
        mugie: "0.1.0".to_owned(),
        host: Host { name: text.clone(), system: text.clone(), processor: text.clone(), cores: 2 },
        verifier: VerifierInfo {
            name,
            title: text.clone(),
            program: text.clone(),
            version: None,
            solver: None,
            command: Vec::new(),
            identity: text,
            options: RecordedOptions::default(),
        },
        settings: TestSettings {
            operators: "paper".to_owned(),
            mutants: 5,
            exhaustive: false,
            strength: None,
            random_seed: 1,
            max_attempts: 100,
            time_limit: 10.0,
            cpu_limit: None,
            memory_limit: None,
            process_limit: None,
            resource_limit: None,
            confirm: 2,
            until_failure: false,
            confidence: None,
            failing: false,
            tries: 0,
            park_after: None,
            procedures: Vec::new(),
            mutate: None,
            max_effort: None,
            speed: Speed::default(),
        },
        seeds: vec![SeedReport::new("a".to_owned(), Vec::new(), Answer::Nondeterministic)],
        cross_check: None,
        below: None,
        part: None,
        known: None,
    }
}

#[test]
fn a_report_is_read_back_whatever_else_is_in_it() {
    let mut json = serde_json::to_value(report()).unwrap();
    assert_eq!(json.get("format"), None, "the first format has no number");
    assert_eq!(read(&json.to_string()).unwrap(), report());
    json["format"] = 1.into();
    json["seeds"][0]["unheard_of"] = "x".into();
    assert_eq!(read(&json.to_string()).unwrap(), report());
}

#[test]
fn what_cannot_be_read_is_told_apart() {
    let mut json = serde_json::to_value(report()).unwrap();
    assert!(matches!(read("{\"seeds\": ["), Err(ReadError::NotJson(_))));
    json["format"] = 2.into();
    assert!(matches!(read(&json.to_string()), Err(ReadError::Newer { found: 2 })));
    // A newer format need not have anything else in common with this one.
    assert!(matches!(read("{\"format\": 7}"), Err(ReadError::Newer { found: 7 })));
    for format in [0.into(), "1".into(), Value::Null] {
        json["format"] = format;
        assert!(matches!(read(&json.to_string()), Err(ReadError::Wrong(_))), "{json}");
    }
    let error = read("{\"mugie\": 3}").unwrap_err().to_string();
    assert!(error.starts_with("it is not the result of a test: "), "{error}");
}
