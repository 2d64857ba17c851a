package io.csi4j.volume.model;

import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.StorageHealthEntry;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * A fault of the storage that the plugin on a node reported.
 *
 * @param entry the status, the reason and the message
 * @param since the time of the first report
 * @param asOf the time of the last report
 * @since 1.0
 */
@Experimental
public record StorageFinding(StorageHealthEntry entry, Instant since, Instant asOf) {

  /** Returns the fault as text, in one line. */
  public String text() {
    return entry.fault()
        + " since "
        + since.truncatedTo(ChronoUnit.SECONDS)
        + (entry.message().isEmpty() ? "" : ": '" + entry.message() + "'");
  }
}
