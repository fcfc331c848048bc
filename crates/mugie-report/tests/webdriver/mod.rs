//! A small client of the `WebDriver` protocol, for Chromium.
//!
//! It implements HTTP by hand: one request and one response at a time, to a local driver.

#![expect(clippy::disallowed_methods, reason = "the tests start a browser")]

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// The key of an element in responses, fixed by the standard.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// The Enter key, for [`Browser::press`].
pub(crate) const ENTER: &str = "\u{e007}";
/// The Backspace key.
pub(crate) const BACKSPACE: &str = "\u{e003}";

/// The `chromedriver` process; killed on drop.
struct Driver {
    process: Child,
    port: u16,
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Driver {
    fn start() -> io::Result<Driver> {
        let mut process = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let port = lines.find_map(|line| {
            let line = line.ok()?;
            line.split_once("started successfully on port ")?.1.trim_end_matches('.').parse().ok()
        });
        let port = port.expect("chromedriver tells its port");
        // Drain the rest of the output, so that the pipe does not fill up.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Driver { process, port })
    }

    /// Sends a request and returns the value in the response.
    fn send(&self, method: &str, path: &str, body: &Value) -> io::Result<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_mins(2)))?;
        let body = if method == "POST" { body.to_string() } else { String::new() };
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        )?;
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer)?;
        let mut answer: Value = serde_json::from_slice(&answer)?;
        Ok(answer["value"].take())
    }

    /// Sends a request that must succeed.
    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let value = self.send(method, path, body).unwrap();
        assert!(value.get("error").is_none(), "{method} {path} {body}: {value:#}");
        value
    }
}

/// A window of a headless browser.
pub(crate) struct Browser {
    driver: Driver,
    session: String,
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ends the browser; killing only the driver would leave it running.
        let _ = self.driver.send("DELETE", &format!("/session/{}", self.session), &Value::Null);
    }
}

impl Browser {
    /// Starts a browser. A missing browser is an error in CI only.
    pub(crate) fn start() -> Option<Browser> {
        match Browser::try_start() {
            Ok(browser) => Some(browser),
            Err(error) => {
                let words = format!("no browser: {error}; `make tools` installs Chromium");
                assert!(std::env::var_os("CI").is_none(), "{words}");
                eprintln!("SKIPPED: {words}");
                None
            }
        }
    }

    fn try_start() -> Result<Browser, String> {
        let driver = Driver::start().map_err(|error| format!("chromedriver: {error}"))?;
        let capabilities = json!({
            "goog:chromeOptions": {
                // Tests run as root in containers, where the sandbox and shared memory are not
                // available. The page is our own and loads nothing.
                "args": ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
                         "--disable-gpu", "--window-size=1400,900", "--hide-scrollbars"],
            },
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        });
        let body = json!({"capabilities": {"alwaysMatch": capabilities}});
        let answer = driver.send("POST", "/session", &body).map_err(|error| error.to_string())?;
        match answer["sessionId"].as_str() {
            Some(session) => Ok(Browser { session: session.to_owned(), driver }),
            None => Err(answer["message"].as_str().unwrap_or("no session").to_owned()),
        }
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.driver.call("POST", &format!("/session/{}/{path}", self.session), body)
    }

    fn element(&self, selector: &str) -> String {
        let found = self.post("element", &json!({"using": "css selector", "value": selector}));
        found[ELEMENT].as_str().unwrap().to_owned()
    }

    /// Goes to an address and waits for the page.
    pub(crate) fn open(&self, url: &str) {
        self.post("url", &json!({"url": url}));
    }

    /// Runs the body of a `JavaScript` function and returns its result.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.post("execute/sync", &json!({"script": script, "args": []}))
    }

    /// Clicks an element.
    pub(crate) fn click(&self, selector: &str) {
        let element = self.element(selector);
        self.post(&format!("element/{element}/click"), &json!({}));
    }

    /// Presses keys in an element.
    pub(crate) fn press(&self, selector: &str, keys: &str) {
        let element = self.element(selector);
        self.post(&format!("element/{element}/value"), &json!({"text": keys}));
    }

    fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.post("goog/cdp/execute", &json!({"cmd": command, "params": parameters}))
    }

    /// Emulates a device with the given window size and colour scheme (light or dark).
    pub(crate) fn emulate(&self, scheme: &str, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500});
        self.devtools("Emulation.setDeviceMetricsOverride", &size);
        let feature = json!({"name": "prefers-color-scheme", "value": scheme});
        self.devtools("Emulation.setEmulatedMedia", &json!({"features": [feature]}));
    }

    /// A picture of the page from the given place on, as PNG.
    pub(crate) fn screenshot(&self, from: u32, height: u32) -> Vec<u8> {
        let size = &self.devtools("Page.getLayoutMetrics", &json!({}))["cssContentSize"];
        let clip = json!({"x": 0, "y": from, "width": size["width"], "height": height, "scale": 1});
        let options = json!({"format": "png", "captureBeyondViewport": true, "clip": clip});
        let answer = self.devtools("Page.captureScreenshot", &options);
        base64(answer["data"].as_str().unwrap())
    }

    /// The browser's log for the page: errors and blocked requests.
    pub(crate) fn log(&self) -> Vec<Value> {
        let entries = self.post("se/log", &json!({"type": "browser"}));
        serde_json::from_value(entries).unwrap()
    }

    /// The addresses that the page requested.
    pub(crate) fn requests(&self) -> Vec<String> {
        let entries = self.post("se/log", &json!({"type": "performance"}));
        let entries: Vec<Value> = serde_json::from_value(entries).unwrap();
        let message = |entry: &Value| -> Value {
            serde_json::from_str(entry["message"].as_str().unwrap()).unwrap()
        };
        entries
            .iter()
            .map(|entry| message(entry)["message"].take())
            .filter(|message| message["method"] == "Network.requestWillBeSent")
            .map(|message| message["params"]["request"]["url"].as_str().unwrap().to_owned())
            .collect()
    }
}

/// Decodes Base64 without line breaks.
fn base64(text: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b'=').map(digit).collect();
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for four in digits.chunks(4) {
        let all = four.iter().fold(0_u32, |all, digit| all << 6 | u32::from(*digit));
        let all = all << (6 * (4 - four.len()));
        bytes.extend(&all.to_be_bytes()[1..four.len()]);
    }
    bytes
}
