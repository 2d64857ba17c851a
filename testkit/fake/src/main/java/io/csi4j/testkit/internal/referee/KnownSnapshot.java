package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.journal.WireMessage;

/**
 * A snapshot, as the last answer told it.
 *
 * @param id its id
 * @param source the volume it was taken of
 * @param group the group snapshot that it belongs to, or {@code ""}
 * @param ready whether it can be used
 * @param size its size; 0 if it is not told
 * @param seconds when it was cut
 */
record KnownSnapshot(
    String id, String source, String group, boolean ready, long size, long seconds) {

  static KnownSnapshot from(WireMessage told) {
    return new KnownSnapshot(
        told.text("snapshot_id"),
        told.text("source_volume_id"),
        told.text("group_snapshot_id"),
        told.flag("ready_to_use"),
        told.number("size_bytes"),
        told.message("creation_time").number("seconds"));
  }
}
