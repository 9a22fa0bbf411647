//! One request over HTTP and its reply, read up to a bound.

use std::time::{Duration, SystemTime};

use async_openai::middleware::HttpRequestFactory;
use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode};
use serde_json::Value;

use super::fault::{Fault, told};

/// Bytes of a refusal that are read.
const MAX_REFUSAL_BYTES: usize = 16 << 10;

/// Sends a request. What comes back is a whole and good reply: a refusal, a reply without end and one that is not JSON
/// are faults. So the layers above never see, or log, anything else.
pub(super) async fn exchange(
    http: Client,
    request: HttpRequestFactory,
    max_bytes: usize,
) -> Result<Response, Fault> {
    let request = request.build().await?;
    let response = http.execute(request).await?;
    let (status, headers) = (response.status(), response.headers().clone());
    if !status.is_success() {
        return Err(refusal(status, &headers, response).await);
    }
    let body = read(response, max_bytes).await?;
    check(&body)?;
    let mut whole = http::Response::new(body);
    if let Some(kind) = headers.get(CONTENT_TYPE) {
        whole.headers_mut().insert(CONTENT_TYPE, kind.clone());
    }
    Ok(whole.into())
}

/// The body, or the fault that it is too long. No more of it is kept than the bound.
async fn read(mut response: Response, max_bytes: usize) -> Result<Vec<u8>, Fault> {
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await? {
        if body.len() + part.len() > max_bytes {
            return Err(Fault::TooLong(max_bytes));
        }
        body.extend_from_slice(&part);
    }
    Ok(body)
}

fn check(body: &[u8]) -> Result<(), Fault> {
    let text = std::str::from_utf8(body)
        .map_err(|error| Fault::Garbled(format!("it is not UTF-8: {error}")))?;
    serde_json::from_str::<serde::de::IgnoredAny>(text)
        .map(drop)
        .map_err(|error| Fault::Garbled(format!("it is not JSON: {error}")))
}

async fn refusal(status: StatusCode, headers: &HeaderMap, response: Response) -> Fault {
    let location = headers.get(LOCATION).and_then(|value| value.to_str().ok());
    let message = if let Some(location) = location.filter(|_| status.is_redirection()) {
        format!("it is now at {}", told(location))
    } else {
        let body = read(response, MAX_REFUSAL_BYTES).await.unwrap_or_default();
        message(&String::from_utf8_lossy(&body))
    };
    Fault::Status {
        status: status.as_u16(),
        message,
        retry_after: retry_after(headers, SystemTime::now()),
    }
}

/// What a refusal says, whichever of the usual forms it has.
fn message(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(body) else {
        return told(body);
    };
    let error = value.get("error").unwrap_or(&value);
    let said = ["message", "detail", "msg"]
        .iter()
        .find_map(|key| error.get(key).and_then(Value::as_str))
        .or_else(|| error.as_str());
    let said = said.map_or_else(|| told(body), told);
    match error.get("code").and_then(Value::as_str) {
        Some(code) if !said.contains(code) => format!("{}: {said}", told(code)),
        _ => said,
    }
}

/// How long to wait, given as seconds or as a date.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let at = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    let now = jiff::Timestamp::try_from(now).ok()?;
    Some(Duration::try_from(at.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_of_every_form_say_why() {
        for (body, said) in [
            (
                r#"{"error":{"message":"no such model","code":"model_not_found"}}"#,
                "model_not_found: no such model",
            ),
            (r#"{"error":{"message":"busy","code":429}}"#, "busy"),
            (r#"{"error":"model 'x' not found"}"#, "model 'x' not found"),
            (r#"{"detail":"Not Found"}"#, "Not Found"),
            (r#"{"object":"error","message":"bad"}"#, "bad"),
            ("<html>\n<b>Bad gateway</b>", "<html> <b>Bad gateway</b>"),
            ("", ""),
        ] {
            assert_eq!(message(body), said);
        }
    }

    #[test]
    fn a_wait_is_read_as_seconds_and_as_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        let wait = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, text.parse().unwrap());
            retry_after(&headers, now)
        };
        assert_eq!(wait("7"), Some(Duration::from_secs(7)));
        assert_eq!(wait("0.5"), Some(Duration::from_millis(500)));
        // 784111777 is Sun, 06 Nov 1994 08:49:37 GMT, the example of RFC 9110.
        let date = |text| wait(text).map(|wait| wait.as_secs());
        assert_eq!(date("Sun, 06 Nov 1994 08:49:47 GMT"), Some(10));
        assert_eq!(date("Sun, 06 Nov 1994 08:49:07 GMT"), Some(0));
        assert_eq!(wait("soon"), None);
        assert_eq!(wait("-1"), None);
        assert_eq!(wait("NaN"), None);
    }

    #[test]
    fn a_body_that_is_not_utf_8_or_not_json_is_a_fault() {
        assert!(check(b"{}").is_ok());
        for wrong in [&b"{\"a\":\"\xff\"}"[..], b"", b"<html>", b"{\"a\":"] {
            assert!(matches!(check(wrong), Err(Fault::Garbled(_))), "{wrong:?}");
        }
    }
}
