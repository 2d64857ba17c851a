package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.lifecycle.Notice;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.node.PathStatus;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Uses of one volume whose operation an earlier start did not finish; an operator is told when it
 * goes on. Used in the mailbox of the volume only.
 */
final class ResumedUses {

  /** Shared while it is empty, as it is for most volumes. */
  private Map<UsageKey, PathStatus> open = Map.of();

  /** Remembers what was found at the start. */
  void restore(VolumeRecord found) {
    Map<UsageKey, PathStatus> begun = new HashMap<>(open);
    found
        .targets()
        .values()
        .forEach(
            use -> {
              boolean isBegun = use.path().pending().isPresent() || use.path().evidence().isEmpty();
              if (use.path().is(PathStatus.GOING)
                  || (use.path().is(PathStatus.IN_DOUBT) && isBegun)) {
                begun.put(use.usage(), use.path().status());
              }
            });
    if (!begun.isEmpty()) {
      open = begun;
    }
  }

  /** A mount begins. */
  Optional<Notice> mounting(UsageKey usage) {
    return closes(usage, PathStatus.IN_DOUBT)
        ? notice(OperatorCode.RESUMED, "it was in doubt at the start", usage)
        : Optional.empty();
  }

  /** A release begins. */
  Optional<Notice> releasing(UsageKey usage) {
    return closes(usage, PathStatus.GOING)
        ? notice(OperatorCode.RELEASE_RESUMED, "it was being given up at the start", usage)
        : Optional.empty();
  }

  /** A release has ended well. */
  Optional<Notice> released(UsageKey usage) {
    return closes(usage, PathStatus.IN_DOUBT)
        ? notice(OperatorCode.ROLLED_BACK, "it was in doubt at the start", usage)
        : Optional.empty();
  }

  private boolean closes(UsageKey usage, PathStatus status) {
    return !open.isEmpty() && open.remove(usage, status);
  }

  private static Optional<Notice> notice(OperatorCode code, String seen, UsageKey usage) {
    return Optional.of(new Notice(code, seen, Optional.of(usage)));
  }
}
