//! The whole report as JSON: the content of `result.json`.

use mugie_core::escaped_json;
use mugie_results::result::TestReport;

/// The report as JSON, indented.
pub(crate) fn render(report: &TestReport) -> String {
    // Everything in a report can be written as JSON: keys are strings, and numbers are finite or
    // become `null`.
    let json = serde_json::to_string_pretty(report).expect("a report has a form in JSON");
    escaped_json(&json) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{hostile, several};

    #[test]
    fn report_can_be_read_back() {
        for report in [several(), hostile()] {
            let json = render(&report);
            assert!(json.ends_with("}\n"));
            assert!(json.chars().all(|c| c == '\n' || mugie_core::is_visible(c)), "{json}");
            assert_eq!(serde_json::from_str::<TestReport>(&json).unwrap(), report);
        }
    }
}
