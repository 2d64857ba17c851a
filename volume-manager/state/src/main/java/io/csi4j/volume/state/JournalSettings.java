package io.csi4j.volume.state;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link io.csi4j.volume.state.journal.JournalStateStore}.
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

  /** Returns the default settings. */
  public static JournalSettings defaults() {
    return builder().build();
  }

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns a builder with these settings. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** Returns the identity of this process's host. */
  public HostIdentity host() {
    return host;
  }

  /** Returns the listener. */
  public StateEvent.Listener listener() {
    return parts.listener;
  }

  /** Returns the size with which a segment is created, in bytes, unless the state needs more. */
  public int segmentSize() {
    return parts.segmentSize;
  }

  /** Returns the size of the reserve file for a full disk, in bytes. */
  public int ballastSize() {
    return parts.ballastSize;
  }

  /** Whether a state must already exist. */
  public boolean stateExpected() {
    return parts.stateExpected;
  }

  /** Whether a state written on another host is accepted. */
  public boolean acceptOtherHost() {
    return parts.acceptOtherHost;
  }

  /** Whether any type of filesystem is accepted. */
  public boolean acceptAnyFilesystem() {
    return parts.acceptAnyFilesystem;
  }

  /** Builder of the settings. */
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

    /** Sets the identity of this process's host; by default, it is read from the kernel. */
    public Builder host(HostIdentity host) {
      this.host = Objects.requireNonNull(host, "host");
      return this;
    }

    /** Sets the listener; by default there is none. */
    public Builder listener(StateEvent.Listener listener) {
      this.listener = Objects.requireNonNull(listener, "listener");
      return this;
    }

    /**
     * Sets the size of a segment; the default is 1 MiB. Larger segments are compacted less often.
     */
    public Builder segmentSize(int bytes) {
      if (bytes < MIN_SEGMENT_SIZE || bytes > 1 << 28) {
        throw new IllegalArgumentException("A segment has 4 KiB to 256 MiB, not " + bytes);
      }
      this.segmentSize = bytes;
      return this;
    }

    /** Sets the number of bytes that are reserved for a full disk; the default is 64 KiB. */
    public Builder ballastSize(int bytes) {
      if (bytes < 0 || bytes > 1 << 28) {
        throw new IllegalArgumentException("A reserve file has 0 to 256 MiB, not " + bytes);
      }
      this.ballastSize = bytes;
      return this;
    }

    /**
     * Sets whether a state must already exist, because identity files of volumes are on disk. In
     * that case, an empty or missing state is reported as an uncertainty with {@link
     * StateException.Reason#STATE_MISSING} instead of being treated as the state of a new host.
     */
    public Builder stateExpected(boolean expected) {
      this.stateExpected = expected;
      return this;
    }

    /** Sets whether a state written on another host is accepted; by default, it is refused. */
    public Builder acceptOtherHost(boolean accepted) {
      this.acceptOtherHost = accepted;
      return this;
    }

    /**
     * Sets whether filesystems with unreliable locks or syncs, such as NFS, are accepted; by
     * default, they are refused.
     */
    public Builder acceptAnyFilesystem(boolean accepted) {
      this.acceptAnyFilesystem = accepted;
      return this;
    }

    /** Returns the settings. */
    public JournalSettings build() {
      return new JournalSettings(this);
    }
  }
}
