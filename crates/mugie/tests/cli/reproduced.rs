//! Commands that reproduce a mutant of a test or a campaign: they work, and name everything that the
//! mutant depends on.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Run, Sandbox, commands, json, script, shell};
use crate::test::BRITTLE;

/// Valid only in version 3 of the language, in which `extends` is not a keyword.
const THIRD: &str = "\
procedure p(extends: int) returns (y: int)
  requires extends > 0;
  requires extends < 9;
  ensures y > extends;
{
  y := extends + 1;
}
";

/// Verifies only with the clauses in this order, and assigns to a global variable without a
/// `modifies` clause.
pub(crate) const UNSAID: &str = "\
var g: int;

procedure q(i: int, j: int)
  requires j <= 5;
  requires i <= j;
{
  var k: int;
  k := i;
  g := 0;
  while (*) { k := k - 1; }
  assert k <= 5;
}
";

/// A verifier that fails for mutants by L5, whatever the version of the language.
const SWAPPED: &str = "
for file; do case $file in *.bpl) break;; esac; done
small=$(grep -n 'requires .*> 0' $file | cut -d: -f1)
great=$(grep -n 'requires .*< 9' $file | cut -d: -f1)
if [ \"$small\" -gt \"$great\" ]; then echo 'it finished with 0 verified, 1 error'; exit 1; fi
echo 'it finished with 1 verified, 0 errors'";

/// A plan for one seed and one mutant.
fn plan(seeds: &str, tool: &str) -> String {
    format!(
        "name = 'again'\n[seeds]\npaths = ['seed.bpl']\n{seeds}\n[[batch]]\nname = 'L5'\n\
         mutants = 3\nattempts = 77\n[[tool]]\nname = 'tool'\n{tool}\n"
    )
}

/// Runs a campaign. Returns the commands that its HTML report shows.
fn on_page(sandbox: &Sandbox) -> Vec<String> {
    let run = sandbox.run(&["campaign", "run", "plan.toml", "--no-fail"]);
    assert_eq!(run.code, 0, "{run:?}");
    let run = sandbox.run(&["campaign", "report", "plan.toml"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    commands(&fs::read_to_string(sandbox.path("plan.html")).unwrap())
}

/// The only flip in the report of a test, and the commands that reproduce it.
fn in_result(run: &Run) -> (Value, Vec<String>) {
    let report = json(run);
    let seed = &report["seeds"][0];
    assert_eq!(seed["answer"], "brittle", "{run:?}");
    let commands = seed["witness"]["reproduce"].as_array().unwrap().iter();
    let commands = commands.map(|line| line.as_str().unwrap().to_owned());
    (seed["flips"][0].clone(), commands.collect())
}

/// The content of a file.
fn text(sandbox: &Sandbox, file: &str) -> String {
    fs::read_to_string(sandbox.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The file of a mutant in a command line.
fn file_in(line: &str) -> String {
    let is_mutant = |word: &&str| word.starts_with("seed.mutants/");
    line.split_whitespace().find(is_mutant).unwrap().to_owned()
}

#[test]
fn the_page_of_a_campaign_reproduces_a_mutant_of_the_third_version() {
    for seeds in ["dialect = '3'", "dialect = 'auto'", ""] {
        let plan = plan(seeds, "verifier = 'command'\nprogram = './tool'");
        let sandbox = Sandbox::new(&[("plan.toml", plan.as_str()), ("seed.bpl", THIRD)]);
        script(&sandbox, "tool", SWAPPED);
        let lines = on_page(&sandbox);
        assert_eq!(
            lines[0],
            "mugie mutate seed.bpl --force -n 3 --operators L5 --seed 1 --max-attempts 77 \
             --dialect 3"
        );
        shell(&sandbox, &lines[0]);
        let mutant = text(&sandbox, "seed.mutants/seed-0001.bpl");
        let clause = |text: &str| mutant.find(text).unwrap_or_else(|| panic!("{mutant}"));
        let clauses = ["requires \\extends < 9;", "requires \\extends > 0;"].map(clause);
        assert!(clauses[0] < clauses[1], "{mutant}");
        // The next command minimises the mutant.
        assert_eq!(lines[1], "mugie minimise seed-L5-0001 --campaign plan.toml");
        shell(&sandbox, &format!("{} --no-program", lines[1]));
    }
}

#[test]
fn a_version_that_is_not_the_verifiers_is_kept_on_the_way() {
    // A program that both versions accept, read as version 3.
    let plan = plan("dialect = '3'", "");
    let sandbox = Sandbox::new(&[("plan.toml", plan.as_str()), ("seed.bpl", BRITTLE)]);
    let lines = on_page(&sandbox);
    assert!(lines[0].ends_with(" --dialect 3"), "{lines:?}");
    shell(&sandbox, &lines[0]);
    for line in [lines[1].as_str(), "mugie diagnose seed-L5-0001 --campaign plan.toml"] {
        shell(&sandbox, line);
    }
    let record: Value =
        serde_json::from_str(&text(&sandbox, "seed-L5-0001.min/minimal.json")).unwrap();
    assert_eq!(record["reading"]["dialect"], "3", "{record}");
}

#[test]
fn the_page_of_a_campaign_reproduces_a_mutant_without_modifies() {
    let plan = plan("infer_modifies = true", "arguments = ['/doModSetAnalysis', '/errorLimit:3']");
    let sandbox = Sandbox::new(&[("plan.toml", plan.as_str()), ("seed.bpl", UNSAID)]);
    on_page(&sandbox);
    let page = text(&sandbox, "plan.html");
    let code = page.split("<code>").skip(1).map(|rest| rest.split("</code>").next().unwrap());
    let lines: Vec<&str> = code.collect();
    let made = lines.iter().position(|line| line.starts_with("mugie mutate ")).unwrap();
    assert!(lines[made].ends_with(" --infer-modifies"), "{lines:?}");
    shell(&sandbox, lines[made]);
    let verify = lines[made + 1];
    assert!(verify.contains(" /doModSetAnalysis /errorLimit:3 "), "{verify}");
    assert!(sandbox.path(&file_in(verify)).exists(), "{verify}");
    let said = shell(&sandbox, verify);
    assert!(said.contains("0 verified, 1 error"), "{said}");
}

#[test]
fn a_test_reproduces_a_mutant_without_modifies_and_with_arguments() {
    let sandbox = Sandbox::new(&[("seed.bpl", UNSAID)]);
    let draw = ["--operators", "L5", "-n", "3", "--no-cache", "--format", "json"];
    let reading = ["--infer-modifies", "--arg", "/doModSetAnalysis", "--arg", "/errorLimit:3"];
    let run = sandbox.run(&[&["test", "seed.bpl"][..], &draw, &reading].concat());
    let (flip, lines) = in_result(&run);
    assert!(lines[0].ends_with(" --infer-modifies"), "{lines:?}");
    shell(&sandbox, &lines[0]);
    let file = file_in(&lines[1]);
    assert_eq!(Path::new(&file).file_name().unwrap().to_str(), flip["files"][0].as_str());
    let said = shell(&sandbox, &lines[1]);
    assert!(lines[1].contains(" /doModSetAnalysis /errorLimit:3 "), "{lines:?}");
    assert!(said.contains("0 verified, 1 error"), "{said}");
}

#[test]
fn a_test_reproduces_a_mutant_of_the_third_version() {
    let sandbox = Sandbox::new(&[("seed.bpl", THIRD)]);
    script(&sandbox, "tool", SWAPPED);
    let tool = ["--verifier", "command", "--program", "./tool", "--arg", "--some=thing"];
    let draw = ["--operators", "L5", "-n", "3", "--no-cache", "--format", "json"];
    let run = sandbox.run(&[&["test", "seed.bpl"][..], &draw, &tool].concat());
    let (flip, lines) = in_result(&run);
    assert!(lines[0].ends_with(" --dialect 3"), "{lines:?}");
    assert!(lines[1].contains(" --some=thing "), "{lines:?}");
    shell(&sandbox, &lines[0]);
    let rows = text(&sandbox, "seed.mutants/mutants.jsonl");
    let row: Value = serde_json::from_str(rows.lines().next().unwrap()).unwrap();
    assert_eq!((&row["hash"], &row["edits"]), (&flip["hash"], &flip["edits"]));
}
