package io.csi4j.client.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Options for a connection to a plugin and for the calls over it.
 *
 * @since 1.0
 */
public final class ConnectOptions {

  private static final Executor IN_PLACE = Runnable::run;
  private static final ConnectOptions DEFAULTS = builder().build();

  private final Builder parts;
  private final Map<CsiOperation, CallPolicy> policies;

  private ConnectOptions(Builder parts) {
    this.parts = parts.copy();
    Map<CsiOperation, CallPolicy> all = new EnumMap<>(CsiOperation.class);
    for (CsiOperation operation : CsiOperation.values()) {
      CallPolicy policy = CallPolicy.defaultFor(operation).with(parts.allPolicies);
      all.put(
          operation, policy.with(parts.policies.getOrDefault(operation, UnaryOperator.identity())));
    }
    this.policies = all;
  }

  /** The transport of a connection. */
  public enum Transport {
    /** {@link #EPOLL} if its native library loads, otherwise {@link #JDK}. */
    AUTO,
    /** Linux epoll, through a native library. Reports the process and the user of the listener. */
    EPOLL,
    /** The sockets of the JDK. Needs no native library. */
    JDK
  }

  /** Returns the default options, which fit most hosts. */
  public static ConnectOptions defaults() {
    return DEFAULTS;
  }

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns a builder with the values of these options. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** The time limit for connecting. */
  public Duration deadline() {
    return parts.deadline;
  }

  /** Whether connecting waits for a socket that does not exist yet or has no listener. */
  public boolean waitForSocket() {
    return parts.waitForSocket;
  }

  /** Whether connecting waits until the plugin reports that it is ready. */
  public boolean requireReady() {
    return parts.requireReady;
  }

  /** The transport of a connection. */
  public Transport transport() {
    return parts.transport;
  }

  /** The maximum size of an answer, in bytes. */
  public int maxMessageBytes() {
    return parts.maxMessageBytes;
  }

  /** The maximum size of headers or trailers, in bytes. */
  public int maxMetadataBytes() {
    return parts.maxMetadataBytes;
  }

  /**
   * Whether requests above the size limits of the spec are refused instead of logged as warnings.
   */
  public boolean strictSizes() {
    return parts.strictSizes;
  }

  /** Whether the socket or its directory may be a symbolic link. */
  public boolean allowSymlink() {
    return parts.allowSymlink;
  }

  /** Whether the socket may be in a directory where other users can replace it. */
  public boolean allowUnsafeDirectory() {
    return parts.allowUnsafeDirectory;
  }

  /** The user that must run the listener, if required. */
  public OptionalInt requiredPeerUid() {
    return parts.requiredPeerUid;
  }

  /** The name that the plugin must have, if required. */
  public Optional<PluginName> requiredName() {
    return Optional.ofNullable(parts.requiredName);
  }

  /** The policy for calls of {@code operation} on this connection. */
  public CallPolicy policy(CsiOperation operation) {
    CallPolicy policy = policies.get(operation);
    return policy == null ? CallPolicy.defaultFor(operation) : policy;
  }

  /** Returns the listeners, in the order they were added. */
  public List<CsiListener> listeners() {
    return List.copyOf(parts.listeners);
  }

  /** Returns the source of the metadata of calls, if there is one. */
  public Optional<CallMetadata> metadata() {
    return Optional.ofNullable(parts.metadata);
  }

  /** Whether calls are written to the wire log, if its logger is enabled. */
  public boolean wireLog() {
    return parts.wireLog;
  }

  /**
   * The executor for actions on stages, subscribers and listeners; empty for threads of the
   * connection.
   */
  public Optional<Executor> callbackExecutor() {
    return Optional.ofNullable(parts.callbackExecutor);
  }

  /** Whether actions on stages, subscribers and listeners run on the I/O thread. */
  public boolean callbacksInPlace() {
    return parts.callbackExecutor == IN_PLACE;
  }

  /** The time limit for closing. */
  public Duration closeTimeout() {
    return parts.closeTimeout;
  }

  /**
   * Returns whether a socket that was connected with these options can also serve calls with the
   * other options. Both must have the same transport, required user of the listener, and size
   * limits.
   */
  public boolean sharesSocketWith(ConnectOptions others) {
    return parts.transport == others.parts.transport
        && parts.maxMessageBytes == others.parts.maxMessageBytes
        && parts.maxMetadataBytes == others.parts.maxMetadataBytes
        && parts.allowSymlink == others.parts.allowSymlink
        && parts.allowUnsafeDirectory == others.parts.allowUnsafeDirectory
        && parts.requiredPeerUid.equals(others.parts.requiredPeerUid);
  }

  /** Collects the options of a connection. */
  public static final class Builder {
    private Duration deadline = Duration.ofSeconds(10);
    private boolean waitForSocket = true;
    private boolean requireReady = true;
    private Transport transport = Transport.AUTO;
    private int maxMessageBytes = 4 << 20;
    private int maxMetadataBytes = 1 << 20;
    private boolean strictSizes;
    private boolean allowSymlink;
    private boolean allowUnsafeDirectory;
    private OptionalInt requiredPeerUid = OptionalInt.empty();
    private @Nullable PluginName requiredName;
    private UnaryOperator<CallPolicy.Builder> allPolicies = UnaryOperator.identity();
    private final Map<CsiOperation, UnaryOperator<CallPolicy.Builder>> policies =
        new EnumMap<>(CsiOperation.class);
    private final List<CsiListener> listeners = new ArrayList<>();
    private @Nullable CallMetadata metadata;
    private boolean wireLog = true;
    private @Nullable Executor callbackExecutor;
    private Duration closeTimeout = Duration.ofSeconds(2);

    private Builder() {}

    private Builder copy() {
      Builder copy = new Builder();
      copy.deadline = deadline;
      copy.waitForSocket = waitForSocket;
      copy.requireReady = requireReady;
      copy.transport = transport;
      copy.maxMessageBytes = maxMessageBytes;
      copy.maxMetadataBytes = maxMetadataBytes;
      copy.strictSizes = strictSizes;
      copy.allowSymlink = allowSymlink;
      copy.allowUnsafeDirectory = allowUnsafeDirectory;
      copy.requiredPeerUid = requiredPeerUid;
      copy.requiredName = requiredName;
      copy.allPolicies = allPolicies;
      copy.policies.putAll(policies);
      copy.listeners.addAll(listeners);
      copy.metadata = metadata;
      copy.wireLog = wireLog;
      copy.callbackExecutor = callbackExecutor;
      copy.closeTimeout = closeTimeout;
      return copy;
    }

    /**
     * Sets the time limit for connecting, including the time to wait for the socket. 10 s by
     * default.
     */
    public Builder deadline(Duration value) {
      deadline = positive("deadline", value);
      return this;
    }

    /**
     * Sets whether connecting waits for a socket that does not exist yet or has no listener. True
     * by default; a caller that retries on its own should set false, so that connecting fails
     * immediately.
     */
    public Builder waitForSocket(boolean value) {
      waitForSocket = value;
      return this;
    }

    /** Sets whether connecting waits until the plugin reports that it is ready. True by default. */
    public Builder requireReady(boolean value) {
      requireReady = value;
      return this;
    }

    /** Sets the transport. {@link Transport#AUTO} by default. */
    public Builder transport(Transport value) {
      transport = value;
      return this;
    }

    /**
     * Sets the maximum size of an answer. 4 MiB by default; long lists need more. A parsed answer
     * may take up to five times this size in memory; an answer that would take more is refused
     * before it is parsed.
     */
    public Builder maxMessageBytes(int value) {
      maxMessageBytes = positive("largest message", value);
      return this;
    }

    /**
     * Sets the maximum size of headers or trailers, which contain error texts. 1 MiB by default.
     */
    public Builder maxMetadataBytes(int value) {
      maxMetadataBytes = positive("largest metadata", value);
      return this;
    }

    /**
     * Sets whether requests above the size limits of the spec are refused instead of logged as
     * warnings. False by default.
     */
    public Builder strictSizes(boolean value) {
      strictSizes = value;
      return this;
    }

    /** Sets whether the socket or its directory may be a symbolic link. False by default. */
    public Builder allowSymlink(boolean value) {
      allowSymlink = value;
      return this;
    }

    /**
     * Sets whether the socket may be in a directory where other users can replace it, because every
     * user or a group may write there, or because another user owns the directory or one above it.
     * False by default.
     */
    public Builder allowUnsafeDirectory(boolean value) {
      allowUnsafeDirectory = value;
      return this;
    }

    /**
     * Requires that this user runs the listener. The client checks the user before it sends any
     * data.
     */
    public Builder requirePeerUid(int uid) {
      requiredPeerUid = OptionalInt.of(uid);
      return this;
    }

    /** Requires that the plugin has this name. */
    public Builder requireName(PluginName value) {
      requiredName = value;
      return this;
    }

    /** Changes the policy of every operation. */
    public Builder policies(UnaryOperator<CallPolicy.Builder> change) {
      allPolicies = change;
      return this;
    }

    /** Changes the policy of one operation, on top of {@link #policies}. */
    public Builder policy(CsiOperation operation, UnaryOperator<CallPolicy.Builder> change) {
      policies.put(operation, change);
      return this;
    }

    /** Adds a listener for calls. */
    public Builder listener(CsiListener value) {
      listeners.add(value);
      return this;
    }

    /**
     * Sets the source of gRPC metadata for calls. By default, calls have only the metadata that
     * gRPC itself adds.
     */
    public Builder metadata(CallMetadata value) {
      metadata = value;
      return this;
    }

    /**
     * Sets whether calls are written to the wire log, if its logger is enabled. True by default.
     */
    public Builder wireLog(boolean value) {
      wireLog = value;
      return this;
    }

    /**
     * Sets the executor for actions on stages, subscribers and listeners, instead of threads of the
     * connection.
     */
    public Builder callbackExecutor(Executor value) {
      callbackExecutor = value;
      return this;
    }

    /**
     * Sets whether actions on stages, subscribers and listeners run on the I/O thread of the
     * connection. This is the fastest choice, but the actions must not block, because all calls of
     * the connection wait for them. A failure whose explanation needs a check of the socket is
     * still reported on a thread of the connection. False by default. Replaces {@link
     * #callbackExecutor}.
     */
    public Builder callbacksInPlace(boolean value) {
      callbackExecutor = value ? IN_PLACE : null;
      return this;
    }

    /** Sets the time limit for closing. 2 s by default. */
    public Builder closeTimeout(Duration value) {
      closeTimeout = positive("close timeout", value);
      return this;
    }

    /** Builds the options. */
    public ConnectOptions build() {
      return new ConnectOptions(this);
    }

    private static Duration positive(String what, Duration value) {
      if (value.isZero() || value.isNegative()) {
        throw new IllegalArgumentException("The " + what + " must be positive, not " + value + ".");
      }
      // A limit of a century never expires in practice, and fits into a number of nanoseconds.
      Duration longest = Duration.ofDays(36_500);
      return value.compareTo(longest) < 0 ? value : longest;
    }

    private static int positive(String what, int value) {
      if (value <= 0) {
        throw new IllegalArgumentException("The " + what + " must be positive, not " + value + ".");
      }
      return value;
    }
  }

  /**
   * The source of gRPC metadata for calls, such as the context of a trace. CSI defines no metadata,
   * so a plugin may ignore it. Do not send secrets as metadata: requests have separate fields for
   * secrets.
   *
   * <p>If the source throws an exception, the client logs it and sends the call without metadata.
   *
   * @since 1.0
   */
  @FunctionalInterface
  public interface CallMetadata {

    /**
     * Returns the metadata of one call. The client calls this method once for each call, on the
     * thread of the caller, before the first attempt.
     *
     * @param operation the call
     * @return a function that returns the metadata of an attempt; called on the thread that sends
     *     the attempt, after {@link CsiListener#onStart}. Names consist of lower-case letters,
     *     digits, {@code -}, {@code _} and {@code .}; they must not begin with {@code grpc-} or end
     *     with {@code -bin}. Values consist of printable ASCII. An entry that breaks these rules is
     *     logged and not sent.
     */
    Function<CsiListener.Started, Map<String, String>> of(CsiOperation operation);
  }
}
