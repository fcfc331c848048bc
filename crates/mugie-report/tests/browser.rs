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
use mugie_results::data::{Data, Details};
use serde_json::{Value, json};
use webdriver::Browser;

fn page(data: &Data) -> String {
    let mutants = synthetic::details(data);
    let causes = synthetic::causes();
    report(data, &Details { mutants, causes, ..Details::default() })
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
fn check_plots(browser: &Browser) -> Vec<String> {
    let figures = browser.run(
        "return [...document.querySelectorAll('figure')].map(figure => ({
           id: figure.id,
           marks: figure.querySelectorAll('svg rect[width]:not([width=\"0.00%\"]), svg circle').length,
           title: figure.querySelector('svg > title')?.textContent ?? '',
           rows: figure.querySelectorAll('details tbody tr').length,
         }))",
    );
    let figures = figures.as_array().unwrap();
    for figure in figures {
        assert!(figure["marks"].as_u64().unwrap() > 1, "{figure}");
        assert!(figure["rows"].as_u64().unwrap() > 0, "{figure}");
        assert_ne!(figure["title"], "", "{figure}");
    }
    figures.iter().map(|figure| figure["id"].as_str().unwrap().to_owned()).collect()
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

/// Checks the filters of the table of all seeds, and that those of the brittle seeds are others.
fn check_filters(browser: &Browser) {
    let form = "[data-list=seed-rows]";
    let status = || {
        browser.run(&format!("return document.querySelector('{form} [role=status]').textContent"))
    };
    let choose = |name: &str, option: &str| {
        browser.click(&format!("{form} [name={name}] option[value='{option}']"));
        visible_seeds(browser)
    };
    assert_eq!(status(), "23 of 23 seeds");
    browser.press(&format!("{form} [name=text]"), "sort");
    assert_eq!(visible_seeds(browser), ["bubble-sort", "gnome-sort", "quick-sort"]);
    assert_eq!(status(), "3 of 23 seeds");
    browser.press(&format!("{form} [name=text]"), &webdriver::BACKSPACE.repeat(4));
    let brittle = choose("verdict", "brittle");
    assert!(brittle.len() < 23 && brittle.contains(&"bubble-sort".to_owned()), "{brittle:?}");
    let by_operator = choose("operator", "3");
    assert!(!by_operator.is_empty() && by_operator.len() < brittle.len(), "{by_operator:?}");
    choose("operator", "");
    assert_eq!(choose("verdict", "unverified"), ["trigger-free"]);
    assert_eq!(choose("tool", "0"), [""; 0], "the first tool verifies every seed");
    assert_eq!(choose("tool", "1"), ["trigger-free"]);
    choose("tool", "");
    choose("verdict", "");
    assert_eq!(choose("group", "2").len(), 5);
    choose("group", "");
    assert_eq!(status(), "23 of 23 seeds");

    let cards = "return [...document.querySelectorAll('#brittle-list > *')]
                   .filter(card => card.checkVisibility()).length";
    let all = browser.run(cards);
    browser.press("[data-list=brittle-list] [name=text]", "bubble");
    assert_eq!(browser.run(cards), 1);
    // A link to a seed that the filter hides shows it.
    let hidden = browser.run(
        "const card = document.querySelector('#brittle-list > [hidden]');
         location.hash = card.id; return card.id",
    );
    let hidden = hidden.as_str().unwrap();
    let shown = format!("return document.getElementById('{hidden}').checkVisibility()");
    assert!(soon(|| browser.run(&shown) == true));
    assert_eq!(browser.run(cards), all);
}

fn check_a_seed(browser: &Browser) {
    browser.click("#seed-table a[href='#seed-bubble-sort']");
    assert!(
        soon(|| browser.run("return document.querySelector('#seed-bubble-sort').open") == true)
    );
    browser.click("#seed-bubble-sort .mutant summary");
    let diff = browser.run("return document.querySelector('#seed-bubble-sort .diff').innerText");
    let diff = diff.as_str().unwrap();
    assert!(diff.contains("</style> ]]> <!-- </script><script>alert(2)</script>"), "{diff}");
    let marks =
        browser.run("return document.querySelectorAll('#seed-bubble-sort .diff mark').length");
    assert_ne!(marks, 0);
    // A command is broken between words only, where a word fits on a line.
    let broken = "return [...document.querySelectorAll('#seed-bubble-sort .commands span')]\
         .filter(word => word.textContent.startsWith('-') && word.getClientRects().length > 1).length";
    assert_eq!(browser.run(broken), 0);
    let words = "return document.querySelectorAll('#seed-bubble-sort .commands span').length";
    assert_ne!(browser.run(words), 0);
    browser.click("#seed-bubble-sort .commands button");
    let word = "return document.querySelector('#seed-bubble-sort .commands button').textContent";
    assert!(soon(|| browser.run(word) != "Copy"));
}

/// Checks that a brittle seed is open, with a difference and commands, and what is called a cause.
fn check_a_card(browser: &Browser) {
    let card = browser.run("return document.querySelector('#brittle-bubble-sort').innerText");
    let card = card.as_str().unwrap();
    for part in
        ["Smallest change that fails", "Failing mutants", "A failing mutant:", "mugie mutate"]
    {
        assert!(card.contains(part), "{part}: {card}");
    }
    let others = browser.run(
        "return [...document.querySelectorAll('.card:not(#brittle-bubble-sort)')]
           .map(card => card.innerText).join()",
    );
    assert!(!others.as_str().unwrap().contains("Smallest change"), "{others}");
}

/// Checks that all rows have addresses, that all links within the page lead somewhere, and that a link to
/// a folded row shows it.
fn check_addresses(browser: &Browser) {
    let wrong = browser.run(
        "const rows = [...document.querySelectorAll('table:not(.diff) > tbody > tr')];
         const ids = [...document.querySelectorAll('[id]')].map(part => part.id);
         const links = [...document.querySelectorAll('a[href^=\"#\"]')];
         return [
           rows.filter(row => !row.id || row.querySelector('.at')?.hash !== `#${row.id}`)
             .map(row => row.innerText),
           ids.filter((id, index) => ids.indexOf(id) !== index),
           links.map(link => link.hash.slice(1))
             .filter(id => !document.getElementById(decodeURIComponent(id))),
         ].map(list => list.slice(0, 3))",
    );
    assert_eq!(wrong, json!([[], [], []]), "rows without an address, double ones, broken links");
    let rows = browser.run(
        "const rows = [...document.querySelectorAll('table:not(.diff) > tbody > tr')];
         return [0, 0.3, 0.6, 0.95].map(share => rows[Math.floor(share * rows.length)].id)",
    );
    for row in rows.as_array().unwrap() {
        browser.run(&format!("location.hash = {row}"));
        let shown = format!(
            "const row = document.getElementById({row});
             const at = row.getBoundingClientRect().top;
             return row.checkVisibility() && at >= -1 && at < innerHeight"
        );
        assert!(soon(|| browser.run(&shown) == true), "{row} is not in view");
    }
}

/// Checks the order of the sections, and that the brittle seeds come open and the tables folded.
fn check_order(browser: &Browser) {
    let sections =
        browser.run("return [...document.querySelectorAll('main > section')].map(part => part.id)");
    let order = ["asked", "answer", "brittle", "pictures", "seeds", "tables", "detail"];
    assert_eq!(sections, json!(order));
    let folded = browser.run(
        "return [...document.querySelectorAll('#seeds table, #tables table')]
           .filter(table => table.checkVisibility()).length",
    );
    assert_eq!(folded, 0, "tables are folded");
    let cards = browser.run(
        "return [...document.querySelectorAll('.card')]
           .filter(card => !card.querySelector('.diff, .remark').checkVisibility()).length",
    );
    assert_eq!(cards, 0, "brittle seeds are open");
}

/// Checks that the page fits into a window, that what does not says that it scrolls, and that labels can be
/// read.
fn check_width(browser: &Browser, width: u32) {
    let found = browser.run(
        "const page = document.documentElement;
         const boxes = [...document.querySelectorAll('.scroll, .plot')];
         const small = [...document.querySelectorAll('svg text')]
           .filter(text => text.checkVisibility() && parseFloat(getComputedStyle(text).fontSize) < 10);
         return [
           page.scrollWidth - page.clientWidth,
           boxes.filter(box => box.scrollWidth > box.clientWidth + 1 && !box.matches('.more')).length,
           small.length,
         ]",
    );
    assert_eq!(found, json!([0, 0, 0]), "too wide, scrolls unsaid, small labels; at {width}");
}

/// Opens a page in a file and checks what holds of every page.
fn check_page(browser: &Browser, file: &Path) {
    browser.open(&format!("file://{}", file.display()));
    check_order(browser);
    check_plots(browser);
    for (width, height) in [(1400, 900), (390, 844)] {
        browser.emulate("light", width, height);
        check_width(browser, width);
        let open = "for (const part of document.querySelectorAll('#tables details, #all-seeds')) \
                    part.open = true";
        browser.run(open);
        // The event of unfolding comes later.
        let fits = "return [...document.querySelectorAll('#tables .scroll')].every(box => \
                    box.scrollWidth <= box.clientWidth + 1 || box.matches('.more'))";
        assert!(soon(|| browser.run(fits) == true), "a table scrolls unsaid at {width}");
        check_width(browser, width);
    }
    check_addresses(browser);
    assert_eq!(browser.log(), Vec::<Value>::new());
}

fn take_screenshots(browser: &Browser, folder: &Path, file: &Path, name: &str) {
    for scheme in ["light", "dark"] {
        for (device, width, height) in [("desktop", 1400, 900), ("phone", 390, 844)] {
            browser.emulate(scheme, width, height);
            browser.open(&format!("file://{}", file.display()));
            for (part, from) in [("top", "asked"), ("pictures", "pictures")] {
                let place = browser.run(&format!(
                    "return Math.floor(document.getElementById('{from}').getBoundingClientRect().top \
                     + scrollY)"
                ));
                let place = if part == "top" { 0 } else { place.as_u64().unwrap() };
                let picture = browser.screenshot(u32::try_from(place).unwrap(), 2600);
                std::fs::write(
                    folder.join(format!("{name}-{device}-{scheme}-{part}.png")),
                    picture,
                )
                .unwrap();
            }
        }
    }
}

/// Checks that nothing but files was requested.
fn check_requests(browser: &Browser) {
    let requests = browser.requests();
    assert!(!requests.is_empty(), "the log of requests does not work");
    assert!(requests.iter().all(|url| url.starts_with("file://")), "{requests:?}");
}

#[test]
fn pages_of_every_size_lead_to_everything() {
    let Some(browser) = Browser::start() else { return };
    let folder = folder();
    for seeds in [3, 50, 135] {
        for tools in [1, 2, 4] {
            let name = format!("{seeds}-seeds-{tools}-tools");
            eprintln!("{name}");
            let file = folder.join(format!("{name}.html"));
            std::fs::write(&file, page(&synthetic::sized(seeds, tools))).unwrap();
            check_page(&browser, &file);
            // All pictures take as long as all else.
            let all = std::env::var_os("SCREENSHOTS").is_some();
            if (seeds, tools) == (50, 2) || all && [(3, 1), (135, 4)].contains(&(seeds, tools)) {
                take_screenshots(&browser, &folder, &file, &name);
            }
        }
    }
    check_requests(&browser);
}

#[test]
fn report_works_in_a_browser() {
    let Some(browser) = Browser::start() else { return };
    let folder = folder();
    let file = folder.join("report.html");
    std::fs::write(&file, page(&synthetic::campaign())).unwrap();
    check_page(&browser, &file);
    browser.emulate("light", 1400, 900);
    // From another page: a link within the page would leave what is switched and filtered.
    browser.open("about:blank");
    browser.open(&format!("file://{}#all-seeds", file.display()));

    let title = browser.run("return document.querySelector('h1').textContent");
    assert_eq!(title, "The paper's first half");
    let seeds = visible_seeds(&browser);
    assert!(seeds.contains(&synthetic::HOSTILE.to_owned()), "{seeds:?}");
    let ids = check_plots(&browser);
    let plots =
        ["heat-batches", "heat-operators", "upset", "histogram", "intervals", "effort", "times"];
    for plot in plots {
        for tool in 0..2 {
            let id = format!("{plot}-{tool}");
            assert!(ids.contains(&id), "{id} is not among {ids:?}");
        }
    }
    assert!(ids.contains(&"pairs".to_owned()), "{ids:?}");
    let compared = browser.run("return document.getElementById('compared').textContent");
    assert!(compared.as_str().unwrap().contains("1 only z3-4.8 (trigger-free)"), "{compared}");
    check_a_card(&browser);
    check_switches(&browser);
    check_sorting(&browser);
    check_filters(&browser);
    check_a_seed(&browser);

    // The report's script is the only one; nothing was blocked and no error occurred.
    assert_eq!(browser.run("return document.scripts.length"), 1);
    check_requests(&browser);
    assert_eq!(browser.log(), Vec::<Value>::new());
}
