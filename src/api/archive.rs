//! `ArchiveService`: puzzles that are kept, for everybody.

use std::str::FromStr;

use tonic::{Request, Response, Status};

use super::convert::job::write_time;
use super::convert::puzzle::{write_puzzle, write_rating, write_solution};
use super::convert::words::{read_level, read_or, shorten, write_verdict};
use super::pages::read_page;
use super::proto as pb;
use super::proto::archive_service_server::ArchiveService;
use super::status::Refusal;
use crate::archive::{Archive, ArchivedPuzzle, Provenance, PuzzleFilter, PuzzleId};
use crate::puzzle::Faults;

/// The service, on the archive of this daemon.
#[derive(Clone, Debug)]
pub struct ArchiveCalls {
    archive: Archive,
}

impl ArchiveCalls {
    /// The service.
    pub fn new(archive: Archive) -> ArchiveCalls {
        ArchiveCalls { archive }
    }
}

#[tonic::async_trait]
impl ArchiveService for ArchiveCalls {
    async fn get_puzzle(
        &self,
        request: Request<pb::GetPuzzleRequest>,
    ) -> Result<Response<pb::GetPuzzleResponse>, Status> {
        let name = request.into_inner().name;
        let id = PuzzleId::from_str(&name)
            .map_err(|error| Refusal::invalid("name", format!("`{}`: {error}", shorten(&name))))?;
        let puzzle = self.archive.puzzle(id).await.map_err(Refusal::from)?;
        let puzzle = puzzle.ok_or_else(|| Refusal::not_found("puzzle", name))?;
        Ok(Response::new(pb::GetPuzzleResponse { puzzle: Some(write_archived(&puzzle, true)) }))
    }

    async fn list_puzzles(
        &self,
        request: Request<pb::ListPuzzlesRequest>,
    ) -> Result<Response<pb::ListPuzzlesResponse>, Status> {
        let message = request.into_inner();
        let mut faults = Faults::none();
        let page = read_page(message.page_size, &message.page_token, &mut faults);
        let level = read_or(message.level, None, |level| read_level(level).map(Some), "level", &mut faults);
        faults.into_result()?;
        let (Some(page), Some(level)) = (page, level) else { return Err(Refusal::unread().into()) };
        let filter = PuzzleFilter {
            kind: Some(message.kind).filter(|kind| !kind.is_empty()),
            size: Some(message.size).filter(|size| *size != 0),
            level,
        };
        let paged = self.archive.list(&filter, &page).await.map_err(Refusal::from)?;
        Ok(Response::new(pb::ListPuzzlesResponse {
            puzzles: paged.items.iter().map(|puzzle| write_archived(puzzle, false)).collect(),
            next_page_token: paged.next.unwrap_or_default(),
        }))
    }
}

fn write_archived(puzzle: &ArchivedPuzzle, with_houses: bool) -> pb::ArchivedPuzzle {
    pb::ArchivedPuzzle {
        name: puzzle.id.to_string(),
        puzzle: Some(write_puzzle(&puzzle.puzzle, with_houses)),
        verdict: puzzle.verdict.map(write_verdict),
        solution: puzzle.solution.as_ref().map(write_solution),
        rating: puzzle.rating.as_ref().map(write_rating),
        create_time: Some(write_time(puzzle.create_time)),
        provenance: write_provenance(puzzle.provenance).into(),
        job: puzzle.job.map(|job| job.to_string()).unwrap_or_default(),
    }
}

fn write_provenance(provenance: Provenance) -> pb::Provenance {
    match provenance {
        Provenance::Solved => pb::Provenance::Solved,
        Provenance::Rated => pb::Provenance::Rated,
        Provenance::Generated => pb::Provenance::Generated,
    }
}
