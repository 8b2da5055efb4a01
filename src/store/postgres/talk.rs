//! How processes tell one another what is new: `NOTIFY` after the commit and over a connection of its own, since it
//! makes commits wait for one another; many news in one. A word that is lost costs time and nothing else.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use sqlx::postgres::{PgListener, PgPoolOptions};
use sqlx::{Connection, Error, PgConnection};

use super::link::{Link, PAUSES};
use super::sql;
use crate::store::news::News;

/// Where news are told.
const CHANNEL: &str = "sleuth";

/// News are told so often at most.
const DEBOUNCE: Duration = Duration::from_millis(15);

/// A node that has no news says so, and hears itself: a listener that hears nothing for longer is deaf.
const BEAT: Duration = Duration::from_secs(5);
const SILENCE: Duration = Duration::from_secs(12);

/// The longest text that goes with a notice; the server takes less than 8,000 bytes.
const MOST: usize = 7_900;

/// Tells what is in the outbox, until nothing is written any more.
pub async fn announce(link: Arc<Link>) {
    let mut conn = None;
    let mut pause = PAUSES.0;
    loop {
        let news = tokio::select! {
            biased;
            news = link.outbox.next() => news,
            () = tokio::time::sleep(BEAT) => News::default(),
            () = link.closed.cancelled() => break,
        };
        match tell(&link, &mut conn, &news).await {
            Ok(()) => pause = PAUSES.0,
            Err(error) => {
                tracing::debug!(%error, "news could not be told");
                conn = None;
                link.outbox.post(news);
                pause = (pause * 2).min(PAUSES.1);
            }
        }
        tokio::select! {
            () = tokio::time::sleep(pause.max(DEBOUNCE)) => {}
            () = link.closed.cancelled() => break,
        }
    }
    // what it has given back others may take at once; unless they are told they look for it by themselves
    let rest = link.outbox.take();
    if !rest.is_empty()
        && let Err(error) = tell(&link, &mut conn, &rest).await
    {
        tracing::debug!(%error, "the last news could not be told");
    }
    if let Some(conn) = conn {
        drop(conn.close().await);
    }
}

async fn tell(link: &Link, conn: &mut Option<PgConnection>, news: &News) -> Result<(), Error> {
    let conn = match conn {
        Some(conn) => conn,
        None => {
            let mut fresh = link.connect().await?;
            // what is told need not outlive the server
            sql::commit_lightly(&mut fresh).await?;
            conn.insert(fresh)
        }
    };
    let node = link.node.load(Ordering::Relaxed);
    for part in news.write(MOST) {
        sql::notify(conn, CHANNEL, &format!("{node}:{part}")).await?;
    }
    Ok(())
}

/// Puts what others tell into the inbox, until the store closes. After every break everything counts as new.
pub async fn listen(link: Arc<Link>) {
    let mut pause = PAUSES.0;
    loop {
        let broken = tokio::select! {
            broken = hear(&link) => broken,
            () = link.closing.cancelled() => return,
        };
        match broken {
            // it heard something at least
            Ok(()) => pause = PAUSES.0,
            Err(error) => {
                tracing::debug!(%error, "nothing is heard of other nodes");
                pause = (pause * 2).min(PAUSES.1);
            }
        }
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = link.closing.cancelled() => return,
        }
    }
}

async fn hear(link: &Link) -> Result<(), Error> {
    let pool =
        PgPoolOptions::new().max_connections(1).acquire_timeout(BEAT).connect_lazy_with(link.options());
    let mut listener = PgListener::connect_with(&pool).await?;
    listener.eager_reconnect(false);
    listener.listen(CHANNEL).await?;
    link.inbox.post(News { everything: true, ..News::default() });
    loop {
        match tokio::time::timeout(SILENCE, listener.try_recv()).await {
            Ok(Ok(Some(notice))) => {
                let Some((node, news)) = notice.payload().split_once(':') else { continue };
                if node.parse() != Ok(link.node.load(Ordering::Relaxed)) {
                    link.inbox.post(News::read(news));
                }
            }
            Ok(Ok(None)) | Err(_) => return Ok(()),
            Ok(Err(error)) => return Err(error),
        }
    }
}
