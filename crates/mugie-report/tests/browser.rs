//! The report of a campaign in a real browser: headless Chromium, driven through `chromedriver`.
//!
//! Screenshots are left in `target/report-screenshots`.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
#![expect(clippy::print_stderr, reason = "who has no browser is told so")]
#![expect(clippy::disallowed_methods, reason = "the tests start a browser, and wait for it")]

mod synthetic;
mod webdriver;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mugie_report::html::report;
use mugie_results::data::Details;
use serde_json::{Value, json};
use webdriver::Browser;

fn page() -> String {
    let data = synthetic::campaign();
    let mutants = synthetic::details(&data);
    let causes = synthetic::causes();
    report(&data, &Details { mutants, causes, missing: Vec::new() })
}

fn folder() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let folder = target.join("report-screenshots");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Whether a condition becomes true within 20 seconds.
fn soon(mut holds: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        if holds() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

fn visible_seeds(browser: &Browser) -> Vec<String> {
    let names = browser.run(
        "return [...document.querySelectorAll('#seed-table tbody tr')]
           .filter(row => row.checkVisibility()).map(row => row.cells[0].textContent)",
    );
    serde_json::from_value(names).unwrap()
}

/// Checks that each plot is drawn, has a title, and is also available as a table.
fn check_plots(browser: &Browser) {
    let figures = browser.run(
        "return [...document.querySelectorAll('figure')].map(figure => ({
           id: figure.id,
           marks: figure.querySelectorAll('svg rect, svg circle').length,
           title: figure.querySelector('svg > title')?.textContent ?? '',
           rows: figure.querySelectorAll('details tbody tr').length,
         }))",
    );
    let figures = figures.as_array().unwrap();
    let ids: Vec<_> = figures.iter().filter_map(|figure| figure["id"].as_str()).collect();
    for plot in ["heat-batches", "heat-operators", "upset", "histogram", "intervals", "times"] {
        for tool in 0..2 {
            let id = format!("{plot}-{tool}");
            assert!(ids.contains(&id.as_str()), "{id} is not among {ids:?}");
        }
    }
    assert!(ids.contains(&"pairs"), "{ids:?}");
    for figure in figures {
        assert!(figure["marks"].as_u64().unwrap() > 1, "{figure}");
        assert!(figure["rows"].as_u64().unwrap() > 0, "{figure}");
        assert_ne!(figure["title"], "", "{figure}");
    }
}

fn check_switches(browser: &Browser) {
    let is_shown = |id: &str| {
        browser.run(&format!("return document.getElementById('{id}').checkVisibility()")) == true
    };
    assert!(is_shown("upset-0") && !is_shown("upset-1"));
    browser.click("[data-switch=tool] label:nth-of-type(2) input");
    assert!(!is_shown("upset-0") && is_shown("upset-1"));
    assert!(is_shown("heat-batches-1") && !is_shown("heat-operators-1"));
    browser.click("[data-tool='1'] [data-switch=columns] label:nth-of-type(2) input");
    assert!(!is_shown("heat-batches-1") && is_shown("heat-operators-1"));
    browser.click("[data-tool='1'] [data-switch=columns] label:nth-of-type(1) input");
    browser.click("[data-switch=tool] label:nth-of-type(1) input");
    assert!(is_shown("heat-batches-0"));
}

/// Checks that numbers sort in descending order first, then ascending, and names alphabetically.
fn check_sorting(browser: &Browser) {
    let lines = || {
        let lines = browser.run(
            "return [...document.querySelectorAll('#seed-table tbody tr')]
               .map(row => Number(row.cells[5].textContent))",
        );
        serde_json::from_value::<Vec<u32>>(lines).unwrap()
    };
    let head = "#seed-table th:nth-child(6)";
    browser.click(&format!("{head} button"));
    assert!(lines().is_sorted_by(|a, b| a >= b), "{:?}", lines());
    let order = browser.run(&format!("return document.querySelector('{head}').ariaSort"));
    assert_eq!(order, "descending");
    browser.press(&format!("{head} button"), webdriver::ENTER);
    assert!(lines().is_sorted(), "{:?}", lines());
    browser.click("#seed-table th:nth-child(1) button");
    let names = visible_seeds(browser);
    assert_eq!(names.last().unwrap(), "variables-200", "{names:?}");
}

fn check_filters(browser: &Browser) {
    let status = || browser.run("return document.getElementById('filter-count').textContent");
    assert_eq!(status(), "23 of 23 seeds");
    browser.press("#filter-text", "sort");
    assert_eq!(visible_seeds(browser), ["bubble-sort", "gnome-sort", "quick-sort"]);
    assert_eq!(status(), "3 of 23 seeds");
    browser.press("#filter-text", &webdriver::BACKSPACE.repeat(4));
    browser.click("#filter-state option[value=brittle]");
    let brittle = visible_seeds(browser);
    assert!(brittle.len() < 23 && brittle.contains(&"bubble-sort".to_owned()), "{brittle:?}");
    browser.click("#filter-state option[value=unverified]");
    assert_eq!(visible_seeds(browser), ["trigger-free"]);
    browser.click("#filter-state option[value='']");
    browser.click("#filter-group option[value='2']");
    assert_eq!(visible_seeds(browser).len(), 5);
    browser.click("#filter-group option[value='']");
    assert_eq!(status(), "23 of 23 seeds");
}

fn check_a_seed(browser: &Browser) {
    browser.click("#seed-table a[href='#seed-1']");
    assert!(soon(|| browser.run("return document.querySelector('#seed-1').open") == true));
    browser.click("#seed-1 .mutant summary");
    let diff = browser.run("return document.querySelector('#seed-1 .diff').innerText");
    let diff = diff.as_str().unwrap();
    assert!(diff.contains("</style> ]]> <!-- </script><script>alert(2)</script>"), "{diff}");
    let marks = browser.run("return document.querySelectorAll('#seed-1 .diff mark').length");
    assert_ne!(marks, 0);
    browser.click("#seed-1 .commands button");
    let word = "return document.querySelector('#seed-1 .commands button').textContent";
    assert!(soon(|| browser.run(word) != "Copy"));
}

fn take_screenshots(browser: &Browser, folder: &Path) {
    for scheme in ["light", "dark"] {
        for (device, width, height) in [("desktop", 1200, 900), ("phone", 375, 812)] {
            browser.emulate(scheme, width, height);
            let overflow = browser.run(
                "const page = document.documentElement; return page.scrollWidth - page.clientWidth",
            );
            assert_eq!(overflow, json!(0), "the page scrolls sideways on a {device}");
            let name = format!("{device}-{scheme}.png");
            std::fs::write(folder.join(name), browser.screenshot()).unwrap();
        }
    }
}

#[test]
fn report_works_in_a_browser() {
    let Some(browser) = Browser::start() else { return };
    let folder = folder();
    let file = folder.join("report.html");
    std::fs::write(&file, page()).unwrap();
    browser.open(&format!("file://{}", file.display()));

    let title = browser.run("return document.querySelector('h1').textContent");
    assert_eq!(title, "The paper's first half");
    let seeds = visible_seeds(&browser);
    assert!(seeds.contains(&synthetic::HOSTILE.to_owned()), "{seeds:?}");
    check_plots(&browser);
    check_switches(&browser);
    check_sorting(&browser);
    check_filters(&browser);
    check_a_seed(&browser);
    take_screenshots(&browser, &folder);

    // The report's script is the only one; nothing was blocked and no error occurred.
    assert_eq!(browser.run("return document.scripts.length"), 1);
    let requests = browser.requests();
    assert!(!requests.is_empty(), "the log of requests does not work");
    assert!(requests.iter().all(|url| url.starts_with("file://")), "{requests:?}");
    assert_eq!(browser.log(), Vec::<Value>::new());
}
