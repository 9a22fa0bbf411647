//! The endpoint: where chat completions are asked for.

use std::time::Duration;

use async_openai::Client;
use async_openai::config::Config;
use async_openai::middleware::HttpRequestFactory;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tokio::time::timeout;
use tower::service_fn;

use super::base_url::BaseUrl;
use super::exchange::exchange;
use super::fault::{Fault, chain};
use super::key::KeySource;
use super::proxy::Proxy;
use super::settings::LlmSettings;

/// Where chat completions are asked for, and how.
pub(super) struct Endpoint {
    base_url: BaseUrl,
    key: KeySource,
    http: reqwest::Client,
    timeout: Duration,
    max_reply_bytes: usize,
}

/// The endpoint as `async-openai` has to know it. Its own configuration takes addresses and keys from the environment,
/// which could send a key where it does not belong.
struct Known {
    base_url: BaseUrl,
    key: SecretString,
    headers: HeaderMap,
}

impl Endpoint {
    /// Ready to ask; nothing is sent yet.
    pub fn new(base_url: &BaseUrl, settings: &LlmSettings) -> Result<Self, String> {
        Ok(Self {
            base_url: base_url.clone(),
            key: settings.key.clone(),
            http: http(base_url, settings)?,
            timeout: settings.timeout,
            max_reply_bytes: settings.max_reply_bytes,
        })
    }

    /// Asks once. The answer is the whole reply, not only what the model said.
    pub async fn chat(&self, request: &Value) -> Result<Value, Fault> {
        let known = self.known()?;
        let (http, max_bytes) = (self.http.clone(), self.max_reply_bytes);
        let send = move |request: HttpRequestFactory| exchange(http.clone(), request, max_bytes);
        let client = Client::build(self.http.clone(), known).with_http_service(service_fn(send));
        let chat = client.chat();
        let asked = timeout(self.timeout, chat.create_byot(request));
        match asked.await {
            Ok(answer) => answer.map_err(Fault::from),
            Err(_) => Err(Fault::Timeout(self.timeout)),
        }
        .map_err(|fault| self.hide_key(fault))
    }

    fn known(&self) -> Result<Known, Fault> {
        let key = self.key.read();
        let key = key.map_err(|error| Fault::Key(error.to_string()))?;
        let mut headers = HeaderMap::new();
        if let Some(key) = &key {
            let value = HeaderValue::try_from(format!("Bearer {}", key.expose_secret()));
            let mut value = value.map_err(|error| Fault::Key(error.to_string()))?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        Ok(Known {
            base_url: self.base_url.clone(),
            key: key.unwrap_or_default(),
            headers,
        })
    }

    /// Some endpoints repeat the key in their refusal.
    fn hide_key(&self, fault: Fault) -> Fault {
        let Fault::Status {
            status,
            message,
            retry_after,
        } = fault
        else {
            return fault;
        };
        let message = match self.key.read() {
            Ok(Some(key)) => message.replace(key.expose_secret(), "[key]"),
            _ => message,
        };
        Fault::Status {
            status,
            message,
            retry_after,
        }
    }
}

impl Config for Known {
    fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }

    fn url(&self, path: &str) -> String {
        self.base_url.join(path)
    }

    fn query(&self) -> Vec<(&str, &str)> {
        Vec::new()
    }

    fn api_base(&self) -> &str {
        self.base_url.as_str()
    }

    fn api_key(&self) -> &SecretString {
        &self.key
    }
}

/// Follows no redirect: the key and what was said go where they were sent and nowhere else.
fn http(base_url: &BaseUrl, settings: &LlmSettings) -> Result<reqwest::Client, String> {
    // Somebody else may have chosen one before; that one serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("soulmem/", env!("CARGO_PKG_VERSION")))
        .redirect(Policy::none())
        .connect_timeout(settings.connect_timeout);
    builder = match &settings.proxy {
        Proxy::None => builder.no_proxy(),
        Proxy::Environment => builder,
        Proxy::Url(url) => {
            let proxy = reqwest::Proxy::all(url.clone());
            builder.proxy(proxy.map_err(|error| format!("llm.proxy: {}", chain(&error)))?)
        }
    };
    if !base_url.is_secure() && settings.proxy == Proxy::None {
        // Nothing is encrypted, so a machine without certificates will do.
        builder = builder.tls_certs_only([]);
    }
    let built = builder.build();
    built.map_err(|error| format!("no connections can be made: {}", chain(&error)))
}
