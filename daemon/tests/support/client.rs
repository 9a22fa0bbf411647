//! A client that speaks to the daemon frame by frame.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};

use soulmem_proto::{ErrorPayload, Op, Rejection, Reply, Request, Value};

use super::PATIENCE;

/// One connection.
pub struct Client {
    stream: TcpStream,
    next_id: u64,
}

impl Client {
    pub fn dial(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Self { stream, next_id: 1 }
    }

    /// Sends bytes as they are.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    /// Sends one frame.
    pub fn send_frame(&mut self, body: &[u8]) {
        let length = u32::try_from(body.len()).unwrap();
        self.send_raw(&[&length.to_be_bytes(), body].concat());
    }

    /// A request with the next id.
    pub fn request(&mut self, op: Op, soul: Option<&str>, payload: Value) -> Request {
        let msg_id = self.next_id;
        self.next_id += 1;
        let soul = soul.map(|soul| soul.parse().unwrap());
        Request {
            msg_id,
            op,
            soul,
            payload,
            deadline_ms: None,
            idempotency_key: None,
        }
    }

    pub fn send(&mut self, request: Request) {
        self.send_frame(&request.to_frame().unwrap());
    }

    /// The next frame; none where the daemon closed the connection.
    pub fn receive(&mut self) -> Option<Reply> {
        let mut length = [0; 4];
        match self.stream.read_exact(&mut length) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return None,
            Err(error) => panic!("no answer: {error}"),
        }
        let mut body = vec![0; u32::from_be_bytes(length).try_into().unwrap()];
        self.stream.read_exact(&mut body).unwrap();
        Some(Reply::parse(&body).unwrap())
    }

    /// The next frame, which must be an error.
    pub fn receive_error(&mut self) -> Rejection {
        match self.receive() {
            Some(Reply::Error(rejection)) => rejection,
            other => panic!("expected an error, got {other:?}"),
        }
    }

    /// Sends a request and waits for the answer to it; nothing else may be outstanding.
    pub fn call(
        &mut self,
        op: Op,
        soul: Option<&str>,
        payload: Value,
    ) -> Result<Value, ErrorPayload> {
        let request = self.request(op, soul, payload);
        self.ask(request)
    }

    /// The same, for a request that was made already.
    pub fn ask(&mut self, request: Request) -> Result<Value, ErrorPayload> {
        let asked = request.msg_id;
        self.send(request);
        loop {
            match self.receive().expect("the daemon closed the connection") {
                Reply::Response {
                    msg_id, payload, ..
                } if msg_id == asked => return Ok(payload),
                Reply::Error(rejection) if rejection.msg_id == Some(asked) => {
                    return Err(rejection.error);
                }
                Reply::Event(_) => {}
                other => panic!("an answer to something else: {other:?}"),
            }
        }
    }

    /// The outcome of a request on a connection that may be closed at any moment.
    pub fn call_or_closed(
        &mut self,
        op: Op,
        payload: Value,
    ) -> Option<Result<Value, ErrorPayload>> {
        let request = self.request(op, None, payload).to_frame().unwrap();
        let length = u32::try_from(request.len()).unwrap().to_be_bytes();
        self.stream
            .write_all(&[&length[..], &request].concat())
            .ok()?;
        let mut length = [0; 4];
        self.stream.read_exact(&mut length).ok()?;
        let mut body = vec![0; u32::from_be_bytes(length).try_into().unwrap()];
        self.stream.read_exact(&mut body).ok()?;
        match Reply::parse(&body).unwrap() {
            Reply::Response { payload, .. } => Some(Ok(payload)),
            Reply::Error(rejection) => Some(Err(rejection.error)),
            Reply::Event(_) => None,
        }
    }

    /// Whether the daemon has closed the connection, after reading what it still had to say.
    pub fn is_closed(&mut self) -> bool {
        let mut rest = Vec::new();
        match self.stream.read_to_end(&mut rest) {
            Ok(_) => rest.is_empty(),
            Err(error) => error.kind() == ErrorKind::ConnectionReset,
        }
    }

    pub fn shutdown_write(&mut self) {
        self.stream.shutdown(Shutdown::Write).unwrap();
    }

    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }
}
