//! The protocol between a supervisor and a keeper, over a socket.
//!
//! The supervisor sends a [`Request`], the keeper sends [`Message`]s back. After the request the
//! supervisor may send single bytes: [`LAP`] each time a part of the run is over, and finally a
//! [`Stop`]. A socket that is closed early means that the other process is gone.

use std::ffi::OsString;
use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::run::{Ending, Limit, Limits, Usage};

/// What to run. Paths are absolute.
#[derive(Serialize, Deserialize)]
pub(super) struct Request {
    pub(super) program: OsString,
    pub(super) arguments: Vec<OsString>,
    pub(super) directory: OsString,
    pub(super) environment: Vec<(OsString, OsString)>,
    pub(super) limits: Limits,
}

/// The byte for "a part of the run is over, and the next one has begun".
pub(super) const LAP: u8 = b'l';

/// A message of a keeper.
#[derive(Serialize, Deserialize)]
pub(super) enum Message {
    /// The usage of a part that is over. There is one for each [`LAP`], in order, unless the run
    /// ends first.
    Lap(Usage),
    /// The run is over and none of its processes is left: the ending, and the usage since the last
    /// lap.
    Over(Ending, Usage),
}

/// Why a supervisor ends a run.
#[derive(Clone, Copy)]
pub(super) enum Stop {
    Cancelled,
    Output,
}

impl Stop {
    pub(super) fn byte(self) -> u8 {
        match self {
            Stop::Cancelled => b'c',
            Stop::Output => b'o',
        }
    }

    /// The ending that a byte asks for.
    pub(super) fn ending(byte: u8) -> Ending {
        if byte == Stop::Output.byte() { Ending::Limited(Limit::Output) } else { Ending::Cancelled }
    }
}

/// Encodes a request or message: JSON after its length.
pub(super) fn encode(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, value)?;
    let length = u32::try_from(bytes.len() - 4).map_err(io::Error::other)?;
    bytes[..4].copy_from_slice(&length.to_be_bytes());
    Ok(bytes)
}

/// Sends a message.
pub(super) fn send(mut to: impl Write, value: &impl Serialize) -> io::Result<()> {
    to.write_all(&encode(value)?)
}

/// Waits for a request, and reads no byte beyond it. `None` if the other process is gone.
pub(super) fn receive<T: DeserializeOwned>(mut from: impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    let mut first = 0;
    while first == 0 {
        first = match from.read(&mut length) {
            Ok(0) => return Ok(None),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            Err(error) => return Err(error),
        };
    }
    from.read_exact(&mut length[first..])?;
    let mut json = Vec::new();
    from.take(u32::from_be_bytes(length).into()).read_to_end(&mut json)?;
    Ok(Some(serde_json::from_slice(&json)?))
}

/// Maximum size of a message in bytes.
const MOST: usize = 1 << 20;

/// Removes the next message from the received bytes, if it is complete.
pub(super) fn take<T: DeserializeOwned>(bytes: &mut Vec<u8>) -> io::Result<Option<T>> {
    let Some((length, rest)) = bytes.split_first_chunk() else { return Ok(None) };
    let length = usize::try_from(u32::from_be_bytes(*length)).map_err(io::Error::other)?;
    if length > MOST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let Some(json) = rest.get(..length) else { return Ok(None) };
    let value = serde_json::from_slice(json)?;
    bytes.drain(..4 + length);
    Ok(Some(value))
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;
    use std::time::Duration;

    use super::*;

    #[test]
    fn arguments_need_not_be_text() {
        let odd = OsString::from_vec(vec![0xff, b'\n', 0x80]);
        let request = Request {
            program: "/bin/true".into(),
            arguments: vec![odd.clone(), OsString::new()],
            directory: odd.clone(),
            environment: vec![(odd.clone(), odd.clone())],
            limits: Limits::default(),
        };
        let bytes = [encode(&request).unwrap(), vec![Stop::Cancelled.byte()]].concat();
        let mut rest = bytes.as_slice();
        let read: Request = receive(&mut rest).unwrap().unwrap();
        assert_eq!(read.arguments, [odd.clone(), OsString::new()]);
        assert_eq!(read.directory, odd);
        assert_eq!(read.environment, [(odd.clone(), odd)]);
        assert_eq!(read.limits, Limits::default());
        assert_eq!(rest, b"c");
    }

    #[test]
    fn half_a_request_is_an_error() {
        let bytes = encode(&"text").unwrap();
        for end in 1..bytes.len() {
            assert!(receive::<String>(&bytes[..end]).is_err());
        }
        assert_eq!(receive::<String>(&b""[..]).unwrap(), None);
        assert_eq!(receive::<String>(bytes.as_slice()).unwrap().unwrap(), "text");
    }

    #[test]
    fn messages_come_in_pieces() {
        let usage = Usage { wall: Duration::from_millis(3), ..Usage::default() };
        let lap = encode(&Message::Lap(usage)).unwrap();
        let over = encode(&Message::Over(Ending::Exited(0), usage)).unwrap();
        for end in 0..lap.len() {
            let mut bytes = lap[..end].to_vec();
            assert!(matches!(take::<Message>(&mut bytes), Ok(None)));
            assert_eq!(bytes, lap[..end]);
        }
        let mut bytes = [lap, over].concat();
        assert!(matches!(take(&mut bytes), Ok(Some(Message::Lap(read))) if read == usage));
        assert!(matches!(
            take(&mut bytes),
            Ok(Some(Message::Over(Ending::Exited(0), read))) if read == usage
        ));
        assert!(bytes.is_empty());
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        assert!(take::<Message>(&mut b"\xff\xff\xff\xff".to_vec()).is_err());
        assert!(take::<Message>(&mut b"\0\0\0\x02{}".to_vec()).is_err());
    }
}
