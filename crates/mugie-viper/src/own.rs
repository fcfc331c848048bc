//! Carbon's own run: its errors, and the verdicts, resource counts and queries of the Boogie that it ran.
//!
//! Carbon reports errors with places, not verdicts on members. Those come from the report of its Boogie; a member with an
//! error of Carbon's is not verified whatever Boogie says.

use mugie_core::{DoorError, GoalRun, Outcome, OwnError, OwnRun, ToolRun, in_file_name};

use crate::details;
use crate::names::FileNames;
use crate::places;
use crate::printed::{Message, Printed};
use crate::tool::{DETAILS, PRINTED, QUERY, Tool, title};

/// How Carbon begins an error of its own, such as one about output of Boogie that it does not understand.
const INTERNAL: &str = "An internal error occurred.";

/// Reads what a verifying run left.
pub(crate) fn read(tool: &Tool, run: &ToolRun, names: &FileNames) -> Result<OwnRun, DoorError> {
    let errors = errors(&run.stdout, names);
    if errors.iter().any(|error| error.text.starts_with(INTERNAL)) {
        let mut complaint = tool.complaint(run, "Carbon does not understand its Boogie");
        complaint.help = Some(
            "name a Boogie of version 3 with `--program PATH` or the variable MUGIE_BOOGIE, or leave out \
             the comparison with `--no-calibration`"
                .to_owned(),
        );
        return Err(complaint);
    }
    let goals = run.files.get(DETAILS).and_then(|text| details::read(text));
    let (Some(mut goals), Some(text)) = (goals, run.files.get(PRINTED)) else {
        return Err(tool.complaint(run, "Carbon does not verify the program"));
    };
    let printed = Printed::read(text, names);
    for error in &errors {
        fail(&mut goals, &printed, error);
    }
    let stems: Vec<String> = goals.iter().map(|goal| in_file_name(&goal.name)).collect();
    for (goal, stem) in goals.iter_mut().zip(&stems) {
        // A file that may belong to two goals belongs to none.
        if stems.iter().filter(|other| *other == stem).count() == 1 {
            add_queries(goal, stem, run);
        }
    }
    let errors = errors.into_iter().filter_map(|Message { text, place }| {
        Some(OwnError { place: place?, message: text, related: Vec::new() })
    });
    Ok(OwnRun { tool: title(run), goals, errors: errors.collect() })
}

/// The errors that Carbon lists: `  [0] Assert might fail. ... (x.vpr@53.10--53.19)`.
fn errors(stdout: &str, names: &FileNames) -> Vec<Message> {
    let error = |line: &str| {
        let (number, words) = line.strip_prefix("  [")?.split_once("] ")?;
        number.trim().parse::<u32>().ok()?;
        let (text, place) = places::split(words, names);
        Some(Message { text, place })
    };
    stdout.lines().filter_map(error).collect()
}

/// A goal in which Carbon reports an error is not verified.
fn fail(goals: &mut [GoalRun], printed: &Printed, error: &Message) {
    let lines = printed.obligations.iter().filter(|(_, message)| *message == error);
    for (line, _) in lines {
        let Some(procedure) = printed.procedure(*line) else { continue };
        let goal = goals.iter_mut().find(|goal| goal.name == procedure.name);
        if let Some(goal) = goal.filter(|goal| goal.outcome() == Outcome::Verified)
            && let Some(batch) = goal.batches.first_mut()
        {
            batch.outcome = Outcome::Failed;
        }
    }
}

/// Adds the queries that were logged for a goal.
fn add_queries(goal: &mut GoalRun, stem: &str, run: &ToolRun) {
    let is_alone = goal.batches.len() == 1;
    goal.log = Some(stem.to_owned());
    for (number, batch) in goal.batches.iter_mut().enumerate() {
        let split = run.files.get(&format!("{QUERY}{stem}_split{number}.smt2"));
        let whole = run.files.get(&format!("{QUERY}{stem}.smt2")).filter(|_| is_alone);
        batch.query = split.or(whole).cloned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printed::tests::{TEXT, names};
    use mugie_core::ObligationBatch;

    const OUTPUT: &str = "carbon 1.0\ncarbon found 2 errors in 5.57s:\n  \
        [ 0] Function might not be well-formed. No access to x.a (t.vpr@2.1--4.2)\n  \
        [10] Timeout occurred after 3 second(s)\n";

    #[test]
    fn a_member_with_an_error_is_not_verified() {
        let errors = errors(OUTPUT, &names());
        let [first, second] = &errors[..] else { panic!("{errors:?}") };
        assert_eq!(first.place.as_ref().map(|it| (it.line, it.column)), Some((2, 1)));
        assert_eq!(
            (second.text.as_str(), &second.place),
            ("Timeout occurred after 3 second(s)", &None)
        );
        let goal = |name: &str| GoalRun {
            name: name.to_owned(),
            log: None,
            batches: vec![ObligationBatch {
                outcome: Outcome::Verified,
                resources: None,
                obligations: Vec::new(),
                query: None,
            }],
        };
        let mut goals = [goal("f#definedness"), goal("other")];
        fail(&mut goals, &Printed::read(TEXT, &names()), first);
        let outcomes: Vec<Outcome> = goals.iter().map(GoalRun::outcome).collect();
        assert_eq!(outcomes, [Outcome::Failed, Outcome::Verified]);
        assert_eq!(in_file_name("f#definedness"), "f_definedness");
    }
}
