package io.csi4j.volume.model;

import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.StorageHealthEntry;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * One fault that a plugin tells of the storage behind it, as seen from a node.
 *
 * @param entry the status, the reason and the words for it
 * @param since the time when it was told first
 * @param asOf the time when it was told last
 * @since 1.0
 */
@Experimental
public record StorageFinding(StorageHealthEntry entry, Instant since, Instant asOf) {

  /** Returns the fault in words, in one line. */
  public String text() {
    return entry.fault()
        + " since "
        + since.truncatedTo(ChronoUnit.SECONDS)
        + (entry.message().isEmpty() ? "" : ": '" + entry.message() + "'");
  }
}
