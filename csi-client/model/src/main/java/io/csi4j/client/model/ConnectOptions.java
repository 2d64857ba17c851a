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
 * How to connect to a plugin, and how calls to it behave.
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

  /** How bytes travel. */
  public enum Transport {
    /** {@link #EPOLL} where its native library loads, else {@link #JDK}. */
    AUTO,
    /** Linux epoll, through a native library. Tells the peer's process and user. */
    EPOLL,
    /** The sockets of the JDK. Needs nothing native. */
    JDK
  }

  /** Options that fit most hosts. */
  public static ConnectOptions defaults() {
    return DEFAULTS;
  }

  /** Begins with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Begins with these options. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** How long connecting may take. */
  public Duration deadline() {
    return parts.deadline;
  }

  /** Whether a socket is waited for that is not there yet, or has no listener. */
  public boolean waitForSocket() {
    return parts.waitForSocket;
  }

  /** Whether connecting waits until the plugin says that it is ready. */
  public boolean requireReady() {
    return parts.requireReady;
  }

  /** How bytes travel. */
  public Transport transport() {
    return parts.transport;
  }

  /** The largest answer taken, in bytes. */
  public int maxMessageBytes() {
    return parts.maxMessageBytes;
  }

  /** The largest set of headers or trailers taken, in bytes. */
  public int maxMetadataBytes() {
    return parts.maxMetadataBytes;
  }

  /** Whether requests beyond the sizes of the spec are refused rather than warned of. */
  public boolean strictSizes() {
    return parts.strictSizes;
  }

  /** Whether the socket or its directory may be a symbolic link. */
  public boolean allowSymlink() {
    return parts.allowSymlink;
  }

  /** Whether the socket may be in a directory where others can replace it. */
  public boolean allowUnsafeDirectory() {
    return parts.allowUnsafeDirectory;
  }

  /** The user that has to listen, if that matters. */
  public OptionalInt requiredPeerUid() {
    return parts.requiredPeerUid;
  }

  /** The name that the plugin has to have, if that matters. */
  public Optional<PluginName> requiredName() {
    return Optional.ofNullable(parts.requiredName);
  }

  /** The policy of calls of {@code operation} on this connection. */
  public CallPolicy policy(CsiOperation operation) {
    CallPolicy policy = policies.get(operation);
    return policy == null ? CallPolicy.defaultFor(operation) : policy;
  }

  /** Returns the listeners, in their order. */
  public List<CsiListener> listeners() {
    return List.copyOf(parts.listeners);
  }

  /** Returns the source of the metadata that calls are sent with, if there is one. */
  public Optional<CallMetadata> metadata() {
    return Optional.ofNullable(parts.metadata);
  }

  /** Whether calls are written to the wire log, where its logger is on. */
  public boolean wireLog() {
    return parts.wireLog;
  }

  /**
   * Where actions on stages, subscribers and listeners run, if not on threads of the connection.
   */
  public Optional<Executor> callbackExecutor() {
    return Optional.ofNullable(parts.callbackExecutor);
  }

  /** Whether those actions run on the I/O thread. */
  public boolean callbacksInPlace() {
    return parts.callbackExecutor == IN_PLACE;
  }

  /** How long closing may take. */
  public Duration closeTimeout() {
    return parts.closeTimeout;
  }

  /**
   * Whether a socket that was connected with these options is as good for calls with the others:
   * the same transport, the same process allowed to listen, the same sizes of answers.
   */
  public boolean sharesSocketWith(ConnectOptions others) {
    return parts.transport == others.parts.transport
        && parts.maxMessageBytes == others.parts.maxMessageBytes
        && parts.maxMetadataBytes == others.parts.maxMetadataBytes
        && parts.allowSymlink == others.parts.allowSymlink
        && parts.allowUnsafeDirectory == others.parts.allowUnsafeDirectory
        && parts.requiredPeerUid.equals(others.parts.requiredPeerUid);
  }

  /** Collects options. */
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

    /** How long connecting may take, waiting for the socket included. 10 s by default. */
    public Builder deadline(Duration value) {
      deadline = positive("deadline", value);
      return this;
    }

    /**
     * Wait for a socket that is not there yet, or has no listener. By default; a caller that asks
     * again on its own is better told at once.
     */
    public Builder waitForSocket(boolean value) {
      waitForSocket = value;
      return this;
    }

    /** Whether connecting waits until the plugin says that it is ready. It does by default. */
    public Builder requireReady(boolean value) {
      requireReady = value;
      return this;
    }

    /** How bytes travel. {@link Transport#AUTO} by default. */
    public Builder transport(Transport value) {
      transport = value;
      return this;
    }

    /**
     * The largest answer taken. 4 MiB by default; long lists need more. In memory an answer may
     * take up to five times that: one with more parts is refused before it is built.
     */
    public Builder maxMessageBytes(int value) {
      maxMessageBytes = positive("largest message", value);
      return this;
    }

    /** The largest set of headers or trailers taken; error texts travel there. 1 MiB by default. */
    public Builder maxMetadataBytes(int value) {
      maxMetadataBytes = positive("largest metadata", value);
      return this;
    }

    /** Refuse requests beyond the sizes of the spec, rather than warn of them. Not by default. */
    public Builder strictSizes(boolean value) {
      strictSizes = value;
      return this;
    }

    /** Let the socket or its directory be a symbolic link. Not by default. */
    public Builder allowSymlink(boolean value) {
      allowSymlink = value;
      return this;
    }

    /**
     * Let the socket be in a directory where others can replace it, because everybody or a group
     * may write there, or because the directory or one above is another user's. Not by default.
     */
    public Builder allowUnsafeDirectory(boolean value) {
      allowUnsafeDirectory = value;
      return this;
    }

    /** Demand that this user listens on the socket; checked before anything is sent to it. */
    public Builder requirePeerUid(int uid) {
      requiredPeerUid = OptionalInt.of(uid);
      return this;
    }

    /** Demand that the plugin has this name. */
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

    /** Sends calls with this metadata. By default they have only that of gRPC. */
    public Builder metadata(CallMetadata value) {
      metadata = value;
      return this;
    }

    /** Whether calls are written to the wire log, where its logger is on. They are by default. */
    public Builder wireLog(boolean value) {
      wireLog = value;
      return this;
    }

    /**
     * Runs actions on stages, subscribers and listeners here instead of on threads of the
     * connection.
     */
    public Builder callbackExecutor(Executor value) {
      callbackExecutor = value;
      return this;
    }

    /**
     * Whether those actions run on the I/O thread of the connection, at the least cost there is:
     * they must not block, or no call of the connection goes on. A failure that takes a look at the
     * socket to explain is told on a thread of the connection all the same. Not by default. Takes
     * the place of {@link #callbackExecutor}.
     */
    public Builder callbacksInPlace(boolean value) {
      callbackExecutor = value ? IN_PLACE : null;
      return this;
    }

    /** How long closing may take. 2 s by default. */
    public Builder closeTimeout(Duration value) {
      closeTimeout = positive("close timeout", value);
      return this;
    }

    /** The options. */
    public ConnectOptions build() {
      return new ConnectOptions(this);
    }

    private static Duration positive(String what, Duration value) {
      if (value.isZero() || value.isNegative()) {
        throw new IllegalArgumentException(
            "The " + what + " has to be positive, not " + value + ".");
      }
      // A century is as good as any longer time, and still a number of nanoseconds.
      Duration longest = Duration.ofDays(36_500);
      return value.compareTo(longest) < 0 ? value : longest;
    }

    private static int positive(String what, int value) {
      if (value <= 0) {
        throw new IllegalArgumentException(
            "The " + what + " has to be positive, not " + value + ".");
      }
      return value;
    }
  }

  /**
   * Returns the gRPC metadata that calls to a plugin are sent with, such as the context of a trace.
   * CSI defines no metadata, so a plugin may ignore all of it. Secrets do not belong here: they
   * have their own fields in the requests.
   *
   * <p>What it throws is logged, and the call is sent without metadata.
   *
   * @since 1.0
   */
  @FunctionalInterface
  public interface CallMetadata {

    /**
     * Returns the metadata of one call. Called once for each call, on the thread of its caller,
     * before the first attempt.
     *
     * @param operation the call
     * @return the metadata of an attempt; called on the thread that sends the attempt, after {@link
     *     CsiListener#onStart}. Names consist of lower-case letters, digits, {@code -}, {@code _}
     *     and {@code .}; they do not begin with {@code grpc-} or end with {@code -bin}. Values
     *     consist of printable ASCII. An entry that breaks these rules is logged and not sent.
     */
    Function<CsiListener.Started, Map<String, String>> of(CsiOperation operation);
  }
}
