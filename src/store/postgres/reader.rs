//! Reading single jobs, many at once: whoever asks while jobs are being read has his among the next, so that following
//! thousands of jobs that other processes run costs a statement for each batch and not for each job.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::{Error, PgPool};
use tokio::sync::{mpsc, oneshot};

use super::link::{Link, PATIENCE, PAUSES, is_outage, refusal};
use super::sql;
use crate::store::StoreError;
use crate::store::row::{JobId, JobRow};

/// Jobs of a batch: a job may have a long result.
const LIMIT: usize = 64;

/// Who may wait for the next batches; the others wait to be among these.
const WAITING: usize = 4 * LIMIT;

/// Who wants a job.
struct Asked {
    id: JobId,
    since: Instant,
    reply: oneshot::Sender<Result<Option<JobRow>, StoreError>>,
}

/// Reads jobs.
#[derive(Debug)]
pub struct Reader {
    sender: mpsc::Sender<Asked>,
}

impl Reader {
    /// Starts reading; that ends when this is dropped.
    pub fn start(link: Arc<Link>, pool: PgPool) -> Reader {
        let (sender, receiver) = mpsc::channel(WAITING);
        tokio::spawn(read_all(link, pool, receiver));
        Reader { sender }
    }

    /// A job, if there is one.
    pub async fn job(&self, id: JobId) -> Result<Option<JobRow>, StoreError> {
        let (reply, answer) = oneshot::channel();
        let asked = Asked { id, since: Instant::now(), reply };
        self.sender.send(asked).await.map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }
}

async fn read_all(link: Arc<Link>, pool: PgPool, mut receiver: mpsc::Receiver<Asked>) {
    let mut batch = Vec::new();
    while receiver.recv_many(&mut batch, LIMIT).await > 0 {
        read_batch(&link, &pool, &mut batch).await;
        batch.clear();
    }
}

/// Answers all of a batch, through an outage of the server if it is a short one.
async fn read_batch(link: &Link, pool: &PgPool, batch: &mut Vec<Asked>) {
    let mut pause = PAUSES.0;
    loop {
        batch.retain(|asked| !asked.reply.is_closed());
        let mut ids: Vec<i64> = batch.iter().map(|asked| asked.id.0).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            return;
        }
        let error = match sql::select_jobs_by_id(pool, &ids).await {
            Ok(rows) => return answer(batch, rows),
            Err(error) => error,
        };
        let patience =
            if is_outage(&error) && !link.closing.is_cancelled() { PATIENCE } else { Duration::ZERO };
        let refusal = refusal(error);
        for asked in batch.extract_if(.., |asked| asked.since.elapsed() >= patience) {
            // nobody may wait for it any more
            let _ = asked.reply.send(Err(refusal.clone()));
        }
        if batch.is_empty() {
            return;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(PAUSES.1);
    }
}

/// Each gets its job; one that cannot be read is told to who asked for it alone.
fn answer(batch: &mut Vec<Asked>, rows: Vec<(i64, Result<JobRow, Error>)>) {
    let rows: HashMap<i64, Result<JobRow, StoreError>> =
        rows.into_iter().map(|(id, row)| (id, row.map_err(refusal))).collect();
    for asked in batch.drain(..) {
        let row = rows.get(&asked.id.0).cloned().transpose();
        // nobody may wait for it any more
        let _ = asked.reply.send(row);
    }
}
