//! An HTTP/1.1 client that sends exactly the bytes it is given.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A response.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The values of a header, joined as one list.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        let values: Vec<_> = self
            .headers
            .iter()
            .filter(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
            .collect();
        (!values.is_empty()).then(|| values.join(", "))
    }

    pub(crate) fn header(&self, name: &str) -> String {
        self.get(name)
            .unwrap_or_else(|| panic!("no `{name}` in {self:?}"))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    /// The decompressed body.
    pub(crate) fn decoded(&self) -> Vec<u8> {
        match self.get("content-encoding").as_deref() {
            None => self.body.clone(),
            Some("gzip") => {
                let mut plain = Vec::new();
                flate2::read::GzDecoder::new(&self.body[..])
                    .read_to_end(&mut plain)
                    .unwrap();
                plain
            }
            Some("zstd") => {
                let mut plain = vec![0; 4 << 20];
                let size = zstd_safe::decompress(plain.as_mut_slice(), &self.body).unwrap();
                plain.truncate(size);
                plain
            }
            Some(other) => panic!("{other}"),
        }
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// A connection.
pub(crate) struct Connection {
    pub(crate) stream: TcpStream,
    /// Bytes read after the end of the last response.
    rest: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Self {
        Self::over(TcpStream::connect(address).unwrap())
    }

    pub(crate) fn over(stream: TcpStream) -> Self {
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        stream
            .set_write_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        Self {
            stream,
            rest: Vec::new(),
        }
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    pub(crate) fn try_send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// Reads and discards available bytes. Returns their number, 0 at the end of the stream, and `None` if nothing is
    /// available.
    pub(crate) fn try_read(&mut self) -> Option<usize> {
        self.stream.set_nonblocking(true).unwrap();
        let read = self.stream.read(&mut [0; 4096]);
        self.stream.set_nonblocking(false).unwrap();
        match read {
            Ok(read) => Some(read),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => None,
            Err(_) => Some(0),
        }
    }

    fn more(&mut self) -> std::io::Result<usize> {
        let mut buffer = vec![0; 1 << 16];
        let read = self.stream.read(&mut buffer)?;
        self.rest.extend_from_slice(&buffer[..read]);
        Ok(read)
    }

    /// Reads the next response; `None` if the connection ends before it begins.
    pub(crate) fn answer(&mut self, method: &str) -> Option<Answer> {
        let end = loop {
            if let Some(end) = self.rest.windows(4).position(|part| part == b"\r\n\r\n") {
                break end;
            }
            match self.more() {
                Ok(0) | Err(_) if self.rest.is_empty() => return None,
                Ok(0) => panic!("cut off: {:?}", String::from_utf8_lossy(&self.rest)),
                Ok(_) => {}
                Err(error) => panic!("{error}: {:?}", String::from_utf8_lossy(&self.rest)),
            }
        };
        let head = String::from_utf8(self.rest[..end].to_vec()).unwrap();
        self.rest.drain(..end + 4);
        let mut lines = head.split("\r\n");
        let status_line = lines.next().unwrap();
        assert!(status_line.starts_with("HTTP/1."), "{status_line}");
        let status: u16 = status_line.split(' ').nth(1).unwrap().parse().unwrap();
        let headers: Vec<(String, String)> = lines
            .map(|line| {
                let (name, value) = line.split_once(':').unwrap();
                (name.to_ascii_lowercase(), value.trim().to_owned())
            })
            .collect();
        let mut answer = Answer {
            status,
            headers,
            body: Vec::new(),
        };
        if method == "HEAD" || status == 304 || status == 204 {
            return Some(answer);
        }
        if answer.get("transfer-encoding").as_deref() == Some("chunked") {
            answer.body = self.chunks();
            return Some(answer);
        }
        let length: usize = answer.header("content-length").parse().unwrap();
        while self.rest.len() < length {
            assert_ne!(self.more().unwrap(), 0, "the body was cut off");
        }
        answer.body = self.rest.drain(..length).collect();
        Some(answer)
    }

    /// Reads a chunked body. Our server never sends one.
    fn chunks(&mut self) -> Vec<u8> {
        let mut body = Vec::new();
        loop {
            let end = loop {
                if let Some(end) = self.rest.windows(2).position(|part| part == b"\r\n") {
                    break end;
                }
                assert_ne!(self.more().unwrap(), 0, "the body was cut off");
            };
            let size = std::str::from_utf8(&self.rest[..end]).unwrap();
            let size = usize::from_str_radix(size, 16).unwrap();
            while self.rest.len() < end + size + 4 {
                assert_ne!(self.more().unwrap(), 0, "the body was cut off");
            }
            body.extend_from_slice(&self.rest[end + 2..end + 2 + size]);
            self.rest.drain(..end + size + 4);
            if size == 0 {
                return body;
            }
        }
    }

    pub(crate) fn request(
        &mut self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
    ) -> Answer {
        let mut request = format!("{method} {target} HTTP/1.1\r\nHost: example.com\r\n");
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str("\r\n");
        self.send(request.as_bytes());
        self.answer(method).expect("an answer")
    }

    /// Returns true if the server closes the connection without sending anything.
    pub(crate) fn is_closed(&mut self) -> bool {
        self.rest.is_empty() && matches!(self.more(), Ok(0) | Err(_)) && self.rest.is_empty()
    }
}
