//! SARIF 2.1.0, the format of code scanning: one run, with a result for each finding.

use std::fmt::Write as _;

use mugie_core::Exit;
use mugie_results::result::{SeedReport, TestReport};
use serde_json::{Value, json};

use crate::effort::strains;
use crate::findings::{Finding, Rule, findings};
use crate::known::is_known;
use crate::words::{escaped, plain};

/// The report as SARIF.
pub(crate) fn render(report: &TestReport) -> String {
    let all: Vec<(&SeedReport, Finding)> = report
        .all_seeds()
        .flat_map(|seed| findings(seed).into_iter().map(move |finding| (seed, finding)))
        .collect();
    let is_broken = |rule: &Rule| all.iter().any(|(_, finding)| finding.rule == *rule);
    let rules = Rule::ALL.into_iter().filter(|rule| rule.is_usual() || is_broken(rule));
    let rules: Vec<Rule> = rules.collect();
    let results: Vec<Value> =
        all.iter().map(|(seed, finding)| result(report, seed, finding, &rules)).collect();
    let ran = report.all_seeds().all(|seed| seed.answer.exit() != Exit::NoAnswer);
    let efforts = strains(report.all_seeds()).into_iter().map(|strain| {
        json!({
            "program": plain(&strain.seed.name),
            "procedure": plain(&strain.effort.procedure),
            "times": strain.times,
            "mutant": strain.effort.most_in.as_deref().map(plain),
        })
    });
    let efforts: Vec<Value> = efforts.collect();
    let mut log = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "mugie",
                    "version": escaped(&report.mugie),
                    "rules": rules.into_iter().map(descriptor).collect::<Vec<_>>(),
                },
            },
            "columnKind": "unicodeCodePoints",
            "invocations": [{ "executionSuccessful": ran }],
            "properties": { "verifier": plain(&report.verifier.title) },
            "results": results,
        }],
    });
    if !efforts.is_empty() {
        log["runs"][0]["properties"]["solverWork"] = json!(efforts);
    }
    format!("{log:#}\n")
}

fn descriptor(rule: Rule) -> Value {
    json!({
        "id": rule.id(),
        "shortDescription": { "text": rule.title() },
        "fullDescription": { "text": rule.description() },
        "defaultConfiguration": {
            "level": if matches!(rule, Rule::BrittleLayout | Rule::LeftOut) { "warning" } else { "error" },
        },
    })
}

fn result(report: &TestReport, seed: &SeedReport, finding: &Finding, rules: &[Rule]) -> Value {
    let index = rules.iter().position(|rule| *rule == finding.rule);
    let mut location = json!({
        "physicalLocation": { "artifactLocation": { "uri": uri(finding.file) } },
    });
    if let Some(place) = finding.place {
        // Lines and columns of SARIF count from 1.
        location["physicalLocation"]["region"] =
            json!({ "startLine": place.line.max(1), "startColumn": place.column.max(1) });
    }
    if let Some(procedure) = finding.procedure {
        location["logicalLocations"] = json!([{ "name": escaped(procedure), "kind": "function" }]);
    }
    // Parts that stay the same when lines move and other mutants are drawn.
    let fingerprint =
        [finding.rule.id(), &seed.name, finding.procedure.unwrap_or_default()].map(escaped);
    let mut result = json!({
        "ruleId": finding.rule.id(),
        "ruleIndex": index,
        "level": if finding.severe { "error" } else { "warning" },
        "message": { "text": message(&finding.message) },
        "locations": [location],
        "partialFingerprints": { "mugie/v1": fingerprint.join("|") },
    });
    if let Some(known) = &report.known {
        let is_known = is_known(report, seed, finding);
        result["baselineState"] = json!(if is_known { "unchanged" } else { "new" });
        if is_known {
            let words = format!("known: it is in {}", plain(&known.file));
            result["suppressions"] = json!([{ "kind": "external", "justification": words }]);
        }
    }
    result
}

/// Escapes a text for a message, in which `{0}` is a placeholder and `[text](address)` a link
/// (sections 3.11.5 and 3.11.6 of the standard). Text from a program must be neither.
fn message(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}").replace("](", r"\](")
}

/// The path of a file as a URI, which is relative if the path is.
fn uri(path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use serde_sarif::sarif::Sarif;

    use super::*;
    use crate::testing::{brittle, hostile, passing, rare, report, several};

    /// The schema of SARIF, from the sources of `serde-sarif`.
    #[expect(clippy::disallowed_methods, reason = "cargo knows where the schema is")]
    fn schema() -> Value {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let run = |arguments: &[&str]| {
            let output = Command::new(&cargo)
                .args(arguments)
                .current_dir(env!("CARGO_MANIFEST_DIR"))
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap()
        };
        // Without a platform, cargo would require the packages of all platforms.
        let version = run(&["--version", "--verbose"]);
        let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
        let metadata =
            run(&["metadata", "--format-version=1", "--locked", "--filter-platform", host]);
        let metadata: Value = serde_json::from_str(&metadata).unwrap();
        let packages = metadata["packages"].as_array().unwrap();
        let package = packages.iter().find(|package| package["name"] == "serde-sarif").unwrap();
        let manifest = std::path::Path::new(package["manifest_path"].as_str().unwrap());
        let path = manifest.with_file_name("src").join("schema.json");
        let mut schema: Value =
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        // The schema's pattern for languages has a surplus bracket; mugie does not use the
        // property.
        for definition in ["run", "toolComponent"] {
            let language = &mut schema["definitions"][definition]["properties"]["language"];
            language.as_object_mut().unwrap().remove("pattern");
        }
        schema
    }

    #[test]
    fn logs_keep_to_the_schema() {
        let schema = schema();
        assert_eq!(schema["properties"]["version"]["enum"], json!(["2.1.0"]));
        let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
        let passing = report(vec![passing("bad.bpl")]);
        for report in [several(), rare(), hostile(), passing, report(Vec::new())] {
            let log: Value = serde_json::from_str(&render(&report)).unwrap();
            let errors: Vec<String> =
                validator.iter_errors(&log).map(|error| error.to_string()).collect();
            assert_eq!(errors, [] as [&str; 0]);
        }
        let mut log: Value = serde_json::from_str(&render(&several())).unwrap();
        log["runs"][0]["results"][0]["colour"] = json!("red");
        assert!(!validator.is_valid(&log), "the schema checks nothing");
    }

    #[test]
    fn other_readers_see_the_same() {
        let log: Sarif = serde_json::from_str(&render(&several())).unwrap();
        let results = log.runs[0].results.as_ref().unwrap();
        let seen: Vec<_> = results
            .iter()
            .map(|result| {
                let locations = result.locations.as_ref().unwrap();
                let physical = locations[0].physical_location.as_ref().unwrap();
                let uri = physical.artifact_location.as_ref().unwrap().uri.as_deref().unwrap();
                let line = physical.region.as_ref().and_then(|region| region.start_line);
                (result.rule_id.as_deref().unwrap(), uri, line)
            })
            .collect();
        assert_eq!(
            seen,
            [
                ("brittle-proof", "bank.bpl", Some(13)),
                ("brittle-proof", "files.bpl", None),
                ("brittle-layout", "files.bpl", None),
                ("tool-trouble", "files.bpl", None),
                ("seed-fails", "bad.bpl", None),
                ("tool-trouble", "garbage.bpl", None),
                ("tool-trouble", "slow.bpl", None),
            ]
        );
    }

    #[test]
    fn fingerprints_tell_findings_apart_and_stay() {
        let fingerprints = |report: &TestReport| -> Vec<String> {
            let log: Value = serde_json::from_str(&render(report)).unwrap();
            let results = log["runs"][0]["results"].as_array().unwrap();
            results.iter().map(|r| r["partialFingerprints"].to_string()).collect()
        };
        let all = fingerprints(&several());
        let mut distinct = all.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), all.len());

        let mut later = brittle("bank.bpl");
        later.flips.remove(0);
        later.counts.flips = 3;
        assert_eq!(
            fingerprints(&report(vec![later])),
            fingerprints(&report(vec![brittle("bank.bpl")]))
        );
    }

    #[test]
    fn trouble_is_no_success() {
        let success = |report: &TestReport| -> Value {
            let log: Value = serde_json::from_str(&render(report)).unwrap();
            log["runs"][0]["invocations"][0]["executionSuccessful"].clone()
        };
        assert_eq!(success(&several()), json!(false));
        assert_eq!(success(&report(vec![brittle("bank.bpl")])), json!(true));
    }

    #[test]
    fn rules_are_the_usual_ones_and_those_that_are_broken() {
        let rules = |report: &TestReport| -> Vec<Value> {
            let log: Value = serde_json::from_str(&render(report)).unwrap();
            let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap().iter();
            rules.map(|rule| rule["id"].clone()).collect()
        };
        let usual = ["brittle-proof", "brittle-layout", "seed-fails", "tool-trouble"];
        assert_eq!(rules(&several()), usual);
        assert_eq!(rules(&rare())[usual.len()..], ["nondeterministic", "beyond-limit"]);
    }

    #[test]
    fn uris_are_encoded() {
        assert_eq!(uri("a b/c:d%.bpl"), "a%20b/c%3Ad%25.bpl");
        assert_eq!(uri("./größe.bpl"), "gr%C3%B6%C3%9Fe.bpl");
        assert_eq!(uri("/tmp/a.bpl"), "file:///tmp/a.bpl");
        assert_eq!(uri("../a.bpl"), "../a.bpl");
    }

    #[test]
    fn messages_have_neither_placeholders_nor_links() {
        assert_eq!(message("{f(x)} [a](0) row[i]"), r"{{f(x)}} [a\](0) row[i]");
    }
}
