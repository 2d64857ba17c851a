package io.csi4j.volume.internal.lifecycle;

/** A step was not made, as its path leads into something that was mounted over the directories. */
public final class CoveredException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient Failure failure;

  /** A failure because a foreign mount lies over the directories. */
  public CoveredException(Failure failure) {
    super(failure.seen());
    this.failure = failure;
  }

  Failure failure() {
    return failure;
  }
}
