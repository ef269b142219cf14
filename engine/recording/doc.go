// Package recording encodes the course of a game, so that it can be shown later or elsewhere. It
// knows no world and no network: objects are numbers, and their groups are cells, texts and raw
// bits.
//
//	Log ──chunks──▶ History ──bytes──▶ Player ──▶ Target
//
// A Log takes the changes of a world, tick by tick. It packs them into chunks of some ticks, and
// the whole state into chunks of its own. A Player can begin at any state, and then needs the
// changes only. A History keeps the newest chunks within a limit, for viewers that are a fixed
// delay behind.
//
// A File is a recording behind a Header. Its chunks are found by their heads.
//
// docs/recording.md specifies the format.
package recording
