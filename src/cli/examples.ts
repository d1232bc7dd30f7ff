/** What stands below the help of the command, and of each of its commands. */
export const EXAMPLES = {
  all: `
Examples:
  $ attune serve
  $ attune load ./docs
  $ attune search "how do I get my money back"
  $ attune status

Set ATTUNE_URL for a server elsewhere, ATTUNE_KEY for one that asks for a key.`,
  serve: `
Examples:
  $ attune serve
  $ attune serve --port 8080 --data-dir /var/lib/attune
  $ attune serve --supervise --log-level warn`,
  load: `
Examples:
  $ attune load ./docs README.md
  $ attune load corpus.jsonl.gz --index papers
  $ attune load products.csv --index products --id-field sku --map name=title --map description=content
  $ attune load huge.ndjson --resume
  $ attune load ./notes --dry-run

Each line that is refused is reported with its number and reason (of a .json file, the number of the
document); the rest is loaded, and the exit status is 1. Documents without an id get one from their
file and their headings or position, so that loading again from the same folder replaces them.`,
  search: `
Examples:
  $ attune search "how do I get my money back"
  $ attune search refund --mode text --index shop --size 3
  $ attune search "" --filter tags=howto --filter 'year>=2020'
  $ attune search '"exact words"' --json`,
  status: `
Examples:
  $ attune status
  $ attune status --url http://search.example:3000/api
  $ attune status --json`,
  demo: `
Examples:
  $ attune demo
  $ attune demo --size 5
  $ attune demo --learning`,
}
