//! An endpoint of chat completions on this machine, as good or as bad as a test wants it.

#![allow(dead_code, reason = "each test program uses its own part")]

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value as Json, json};

/// A request as it came in.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Its path, such as `/v1/chat/completions`.
    pub path: String,
    /// Its headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Json,
}

impl Asked {
    /// A header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The text of a message.
    pub fn message(&self, index: usize) -> &str {
        self.body["messages"][index]["content"]
            .as_str()
            .unwrap_or_default()
    }

    /// The name of the schema that the reply is to follow, where the request has it apart from the messages.
    pub fn schema(&self) -> Option<&str> {
        self.body["response_format"]["json_schema"]["name"].as_str()
    }
}

/// What the endpoint does with a request.
#[derive(Debug, Clone)]
pub enum Act {
    /// A completion whose text is this. It counts 10 tokens in and 5 out.
    Say(String),
    /// A good status with this body.
    Body(Vec<u8>),
    /// A status with headers and a body.
    Status(u16, Vec<(&'static str, String)>, String),
    /// Silence, for as long as the client waits.
    Silence,
    /// No byte of a reply: the connection is reset.
    Reset,
    /// Half of a completion, then a reset.
    ResetInBody,
    /// Half of a completion, then an orderly end.
    EndInBody,
    /// A body that never ends.
    Endless,
}

impl Act {
    /// A completion that says this object.
    pub fn say(value: &Json) -> Self {
        Self::Say(value.to_string())
    }

    /// A bare status.
    pub fn status(status: u16) -> Self {
        let body = json!({"error": {"message": format!("told to answer {status}")}});
        Self::Status(status, Vec::new(), body.to_string())
    }
}

type Choose = dyn FnMut(&Asked) -> Act + Send;

/// The endpoint. It ends when this goes out of scope.
pub struct LlmEndpoint {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    ending: Arc<AtomicBool>,
}

impl LlmEndpoint {
    /// One that does what is chosen for each request. Choices are made one after the other.
    pub fn choosing(choose: impl FnMut(&Asked) -> Act + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = Self {
            address: listener.local_addr().unwrap(),
            asked: Arc::default(),
            ending: Arc::default(),
        };
        let (asked, ending) = (Arc::clone(&endpoint.asked), Arc::clone(&endpoint.ending));
        let choose: Arc<Mutex<Box<Choose>>> = Arc::new(Mutex::new(Box::new(choose)));
        thread::spawn(move || {
            for stream in listener.incoming() {
                if ending.load(Ordering::SeqCst) {
                    break;
                }
                let (choose, asked) = (Arc::clone(&choose), Arc::clone(&asked));
                let Ok(stream) = stream else { continue };
                // A client that leaves early is a part of some tests.
                thread::spawn(move || serve(stream, &choose, &asked));
            }
        });
        endpoint
    }

    /// One that does these things in order, and the last of them again and again.
    pub fn doing(acts: Vec<Act>) -> Self {
        let mut left = VecDeque::from(acts);
        Self::choosing(move |_| {
            let next = left.front().cloned().unwrap_or(Act::status(500));
            if left.len() > 1 {
                left.pop_front();
            }
            next
        })
    }

    /// Its address, as `llm.base_url` takes it.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// What it was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for LlmEndpoint {
    fn drop(&mut self) {
        self.ending.store(true, Ordering::SeqCst);
        // Wakes the listener, which then sees that it is over.
        let _ = TcpStream::connect(self.address);
    }
}

/// A completion as such endpoints send it.
pub fn completion(text: &str) -> Json {
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "test",
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": text},
            "finish_reason": "stop",
        }],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    })
}

/// A completion that its endpoint cut off for its length.
pub fn cut_off(text: &str) -> Json {
    let mut cut = completion(text);
    cut["choices"][0]["finish_reason"] = json!("length");
    cut
}

fn serve(
    mut stream: TcpStream,
    choose: &Mutex<Box<Choose>>,
    asked: &Mutex<Vec<Asked>>,
) -> io::Result<()> {
    let request = read(&stream)?;
    let act = {
        let mut choose = choose.lock().unwrap();
        asked.lock().unwrap().push(request.clone());
        choose(&request)
    };
    match act {
        Act::Say(text) => body(&mut stream, completion(&text).to_string().as_bytes()),
        Act::Body(bytes) => body(&mut stream, &bytes),
        Act::Status(status, headers, text) => {
            answer(&mut stream, status, &headers, text.len())?;
            stream.write_all(text.as_bytes())
        }
        // Reading ends when the client leaves.
        Act::Silence => stream.read_to_end(&mut Vec::new()).map(drop),
        Act::Reset => reset(&stream),
        Act::ResetInBody => {
            half(&mut stream)?;
            reset(&stream)
        }
        Act::EndInBody => half(&mut stream),
        Act::Endless => {
            write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n"
            )?;
            loop {
                stream.write_all(&[b' '; 4_096])?;
            }
        }
    }
}

fn read(stream: &TcpStream) -> io::Result<Asked> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let (mut headers, mut length) = (Vec::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        let (name, value) = (name.to_lowercase(), value.trim().to_owned());
        if name == "content-length" {
            length = value.parse().unwrap_or(0);
        }
        headers.push((name, value));
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Asked {
        path,
        headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
    })
}

fn body(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    answer(stream, 200, &[], bytes.len())?;
    stream.write_all(bytes)
}

fn half(stream: &mut TcpStream) -> io::Result<()> {
    let whole = completion("never to be read").to_string();
    answer(stream, 200, &[], whole.len())?;
    stream.write_all(&whole.as_bytes()[..whole.len() / 2])
}

fn answer(
    stream: &mut TcpStream,
    status: u16,
    headers: &[(&'static str, String)],
    length: usize,
) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\n"
    )?;
    for (name, value) in headers {
        write!(stream, "{name}: {value}\r\n")?;
    }
    write!(
        stream,
        "content-length: {length}\r\nconnection: close\r\n\r\n"
    )
}

/// The connection ends with a reset when the stream goes, not with an orderly end.
fn reset(stream: &TcpStream) -> io::Result<()> {
    let at_once = Some(std::time::Duration::ZERO);
    Ok(rustix::net::sockopt::set_socket_linger(stream, at_once)?)
}
