package io.csi4j.volume.claim.etcd;

import java.io.Serial;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A call that etcd did not answer as asked. The message says why. */
final class EtcdFailure extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  private final Fate fate;
  private final String remedy;

  /** The fate of a write. */
  enum Fate {
    /** The write was not made, and never will be. */
    REFUSED,
    /** The fate is not known. */
    UNKNOWN,
    /** Nothing was asked, as the store is closed. */
    CLOSED
  }

  EtcdFailure(Fate fate, String because, String remedy, @Nullable Throwable cause) {
    super(because, cause);
    this.fate = Objects.requireNonNull(fate, "fate");
    this.remedy = Objects.requireNonNull(remedy, "remedy");
  }

  Fate fate() {
    return fate;
  }

  /** Why, as a clause. */
  String because() {
    return Objects.requireNonNull(getMessage());
  }

  /** Returns the advice, without a full stop. */
  String remedy() {
    return remedy;
  }
}
