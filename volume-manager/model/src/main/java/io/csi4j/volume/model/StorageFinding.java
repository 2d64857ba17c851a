package io.csi4j.volume.model;

import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.StorageHealthEntry;
import java.time.Instant;

/**
 * One thing that a plugin says is wrong with the storage behind it, as seen from a node.
 *
 * @param entry what
 * @param since when it was said first
 * @param asOf when it was said last
 */
@Experimental
public record StorageFinding(StorageHealthEntry entry, Instant since, Instant asOf) {

  /** In words, in one line. */
  public String text() {
    return what(entry)
        + " since "
        + since
        + (entry.message().isEmpty() ? "" : ": '" + entry.message() + "'");
  }

  /** The status and the reason of a fault, in words. */
  public static String what(StorageHealthEntry entry) {
    String status =
        entry.status() == StorageHealthEntry.Status.UNRECOGNIZED
            ? "status " + entry.number()
            : entry.status().name();
    return entry.reason().word().isEmpty() ? status : status + " (" + entry.reason() + ")";
  }
}
