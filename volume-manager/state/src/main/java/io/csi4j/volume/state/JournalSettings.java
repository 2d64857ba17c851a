package io.csi4j.volume.state;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link io.csi4j.volume.state.journal.JournalStateStore} behaves.
 *
 * @since 1.0
 */
public final class JournalSettings {

  /** The smallest size of a segment. */
  public static final int MIN_SEGMENT_SIZE = 4096;

  private final Builder parts;
  private final HostIdentity host;

  private JournalSettings(Builder builder) {
    parts = builder.copy();
    host = builder.host == null ? HostIdentity.current() : builder.host;
  }

  /** The settings to use unless there is a reason for others. */
  public static JournalSettings defaults() {
    return builder().build();
  }

  /** Settings that differ from the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns a builder with these settings. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** Where this process runs. */
  public HostIdentity host() {
    return host;
  }

  /** Returns the listener. */
  public StateEvent.Listener listener() {
    return parts.listener;
  }

  /** The bytes that a segment is made with, unless the state needs more. */
  public int segmentSize() {
    return parts.segmentSize;
  }

  /** The bytes that are held in reserve for a full disk. */
  public int ballastSize() {
    return parts.ballastSize;
  }

  /** Whether there must be a state already. */
  public boolean stateExpected() {
    return parts.stateExpected;
  }

  /** Whether a state that was written on another host is accepted. */
  public boolean acceptOtherHost() {
    return parts.acceptOtherHost;
  }

  /** Whether the type of the filesystem does not matter. */
  public boolean acceptAnyFilesystem() {
    return parts.acceptAnyFilesystem;
  }

  /** Collects settings. */
  public static final class Builder {

    private @Nullable HostIdentity host;
    private StateEvent.Listener listener = event -> {};
    private int segmentSize = 1 << 20;
    private int ballastSize = 64 * 1024;
    private boolean stateExpected;
    private boolean acceptOtherHost;
    private boolean acceptAnyFilesystem;

    private Builder() {}

    private Builder copy() {
      Builder copy = new Builder();
      copy.host = host;
      copy.listener = listener;
      copy.segmentSize = segmentSize;
      copy.ballastSize = ballastSize;
      copy.stateExpected = stateExpected;
      copy.acceptOtherHost = acceptOtherHost;
      copy.acceptAnyFilesystem = acceptAnyFilesystem;
      return copy;
    }

    /** Sets where this process runs; by default the kernel is asked. */
    public Builder host(HostIdentity host) {
      this.host = Objects.requireNonNull(host, "host");
      return this;
    }

    /** Sets the listener; by default there is none. */
    public Builder listener(StateEvent.Listener listener) {
      this.listener = Objects.requireNonNull(listener, "listener");
      return this;
    }

    /** Sets the size of a segment; by default 1 MiB. Larger ones are compacted less often. */
    public Builder segmentSize(int bytes) {
      if (bytes < MIN_SEGMENT_SIZE || bytes > 1 << 28) {
        throw new IllegalArgumentException("A segment has 4 KiB to 256 MiB, not " + bytes);
      }
      this.segmentSize = bytes;
      return this;
    }

    /** Sets how many bytes are held in reserve for a full disk; by default 64 KiB. */
    public Builder ballastSize(int bytes) {
      if (bytes < 0 || bytes > 1 << 28) {
        throw new IllegalArgumentException("A ballast has 0 to 256 MiB, not " + bytes);
      }
      this.ballastSize = bytes;
      return this;
    }

    /**
     * Says whether there must be a state already, because identity files of volumes are on disk.
     * Then an empty or missing state is a {@link StateException.Reason#STATE_MISSING} doubt and not
     * the state of a new host.
     */
    public Builder stateExpected(boolean expected) {
      this.stateExpected = expected;
      return this;
    }

    /** Accepts a state that was written on another host; by default it is refused. */
    public Builder acceptOtherHost(boolean accepted) {
      this.acceptOtherHost = accepted;
      return this;
    }

    /**
     * Accepts filesystems whose locks or syncing are not to be trusted, such as NFS; by default
     * they are refused.
     */
    public Builder acceptAnyFilesystem(boolean accepted) {
      this.acceptAnyFilesystem = accepted;
      return this;
    }

    /** The settings. */
    public JournalSettings build() {
      return new JournalSettings(this);
    }
  }
}
