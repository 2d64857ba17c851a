package io.csi4j.client.internal;

import com.google.protobuf.Message;
import io.csi4j.client.identity.IdentityService.PluginInfo;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.rules.CapabilityRules;
import io.csi4j.client.internal.rules.CapabilityRules.Need;
import io.csi4j.client.internal.rules.CapabilityRules.Source;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Violation;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Admits a call only if the plugin offers the call, and only if it is the same plugin that was
 * connected before.
 *
 * <p>The first call that needs the capabilities of the plugin reads them, once for each connection;
 * other calls wait for the same answer. After a reconnect, the gate first reads the plugin's name,
 * so that no secret is sent to another plugin that has replaced the first one.
 */
final class CapabilityGate {

  /** The number that stands for any connection. */
  static final long ANY_CONNECTION = -1;

  /** The number that stands for no connection. */
  static final long NO_CONNECTION = -2;

  private static final Object NAME = "name";

  private final CallPath path;
  private final AtomicReference<Known> known;

  CapabilityGate(CallPath path) {
    this.path = path;
    this.known = new AtomicReference<>(new Known(path.generation()));
  }

  /** The information about the plugin on one connection. */
  private static final class Known {
    private volatile long generation;
    private volatile boolean isIdentified;
    private final Map<Object, CompletableFuture<?>> asking = new ConcurrentHashMap<>();
    private final Map<Source, CapabilitySet<?>> offered = new ConcurrentHashMap<>();

    Known(long generation) {
      this.generation = generation;
    }
  }

  /**
   * Checks whether {@code request} may be sent to this plugin. Returns empty if it may be sent
   * immediately. Otherwise the returned future completes with the reason for the refusal, or with
   * empty if the request may be sent. Questions to the plugin take at most {@code limitNanos}.
   */
  Optional<CompletableFuture<Optional<CsiException>>> admit(
      CsiOperation operation,
      Message request,
      Function<StatusCode, CsiFailure.Builder> describe,
      long limitNanos,
      @Nullable Executor executor) {
    if (operation.service() == CsiOperation.Service.IDENTITY) {
      return Optional.empty();
    }
    List<Need> needs = CapabilityRules.needs(operation, request);
    Known now = current();
    Set<Source> sources = sources(request, needs);
    if (isIdentified(now, operation) && now.offered.keySet().containsAll(sources)) {
      return judge(now, operation, request, describe, needs)
          .map(refusal -> CompletableFuture.completedFuture(Optional.of(refusal)));
    }
    // Time may have passed since the limit was checked; the question then fails with a timeout.
    Duration limit = Duration.ofNanos(Math.max(1, limitNanos));
    return Optional.of(
        identify(now, operation, describe, limit, executor)
            .thenCompose(
                refusal ->
                    refusal.isPresent()
                        ? CompletableFuture.completedFuture(refusal)
                        : learn(
                            now, operation, request, describe, needs, sources, limit, executor)));
  }

  /** Records that the plugin has reported its name on the connection with this number. */
  void introduced(long generation) {
    Known now = current();
    if (now.generation == generation) {
      now.isIdentified = true;
    }
  }

  /**
   * Returns the number of the connection over which an admitted call may be sent: the connection
   * whose plugin is known. Returns {@link #ANY_CONNECTION} for a call that may go to any plugin,
   * and {@link #NO_CONNECTION} if the connection was lost and the call must be admitted again.
   */
  long connectionFor(CsiOperation operation) {
    if (operation.service() == CsiOperation.Service.IDENTITY) {
      return ANY_CONNECTION;
    }
    Known now = known.get();
    long generation = now.generation;
    return now.isIdentified && generation == path.generation() ? generation : NO_CONNECTION;
  }

  private Known current() {
    Known now = known.get();
    long generation = path.generation();
    // The first question after a loss itself establishes the connection. Other calls may wait for
    // the answer to this question.
    boolean isBeingAsked = !now.isIdentified && generation == now.generation + 1;
    if (now.generation == generation || isBeingAsked) {
      return now;
    }
    Known fresh = new Known(generation);
    return known.compareAndSet(now, fresh) ? fresh : current();
  }

  // ---- identity

  private boolean isIdentified(Known now, CsiOperation operation) {
    return now.isIdentified || operation.service() == CsiOperation.Service.IDENTITY;
  }

  private CompletableFuture<Optional<CsiException>> identify(
      Known now,
      CsiOperation operation,
      Function<StatusCode, CsiFailure.Builder> describe,
      Duration limit,
      @Nullable Executor executor) {
    if (isIdentified(now, operation)) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return ask(
            now,
            NAME,
            () ->
                path.ungatedOn(
                    IdentityClient.GET_PLUGIN_INFO, IdentityClient.NOTHING, limit, executor),
            limit)
        .handle(
            (answered, thrown) -> {
              Optional<PluginName> before = path.name();
              if (thrown != null && before.isPresent()) {
                return Optional.of(failure(thrown));
              }
              if (answered instanceof CallPath.Answered<?> on
                  && on.answer() instanceof PluginInfo told) {
                if (before.isPresent() && !told.name().equals(before.get())) {
                  now.asking.remove(NAME);
                  return Optional.of(changed(describe, before.get(), told.name()));
                }
                path.introduced(told);
              }
              // Some plugins never report their name, but otherwise work.
              now.isIdentified = true;
              return Optional.empty();
            });
  }

  private static CsiException changed(
      Function<StatusCode, CsiFailure.Builder> describe, PluginName before, PluginName after) {
    return new CsiConnectException(
        describe
            .apply(StatusCode.UNAVAILABLE)
            .why(
                "the plugin '"
                    + after
                    + "' now listens where '"
                    + before
                    + "' listened before; nothing was sent to it")
            .advice("Check which plugin listens on this endpoint, then connect again.")
            .build(),
        CsiConnectException.Reason.WRONG_PLUGIN,
        null);
  }

  // ---- capabilities

  /**
   * Reads one source of capabilities after the other, and stops at the first missing capability.
   */
  private CompletableFuture<Optional<CsiException>> learn(
      Known now,
      CsiOperation operation,
      Message request,
      Function<StatusCode, CsiFailure.Builder> describe,
      List<Need> needs,
      Set<Source> sources,
      Duration limit,
      @Nullable Executor executor) {
    List<Need> answerable =
        needs.stream().filter(need -> now.offered.containsKey(need.source())).toList();
    Optional<CsiException> refusal = missing(now, describe, answerable);
    if (refusal.isPresent()) {
      return CompletableFuture.completedFuture(refusal);
    }
    Optional<Source> unknown =
        sources.stream().filter(source -> !now.offered.containsKey(source)).findFirst();
    if (unknown.isEmpty()) {
      return CompletableFuture.completedFuture(judge(now, operation, request, describe, needs));
    }
    Source source = unknown.get();
    return ask(now, source, () -> read(source, limit, executor), limit)
        .handle(
            (set, thrown) ->
                thrown == null ? Optional.<CsiException>empty() : Optional.of(failure(thrown)))
        .thenCompose(
            failed ->
                failed.isPresent()
                    ? CompletableFuture.completedFuture(failed)
                    : learn(now, operation, request, describe, needs, sources, limit, executor));
  }

  private CompletableFuture<? extends CapabilitySet<?>> read(
      Source source, Duration limit, @Nullable Executor executor) {
    return switch (source) {
      case PLUGIN ->
          path.ungated(
              IdentityClient.GET_PLUGIN_CAPABILITIES, IdentityClient.NOTHING, limit, executor);
      case CONTROLLER ->
          path.ungated(ControllerClient.GET_CAPABILITIES, IdentityClient.NOTHING, limit, executor);
      case NODE ->
          path.ungated(NodeClient.GET_CAPABILITIES, IdentityClient.NOTHING, limit, executor);
      case GROUP_CONTROLLER ->
          path.ungated(
              GroupControllerClient.GET_CAPABILITIES, IdentityClient.NOTHING, limit, executor);
    };
  }

  /** Asks the plugin once for all callers on this connection. A failure is not remembered. */
  private <V> CompletableFuture<?> ask(
      Known now, Object question, Supplier<CompletableFuture<? extends V>> asked, Duration limit) {
    CompletableFuture<Object> mine = new CompletableFuture<>();
    CompletableFuture<?> others = now.asking.putIfAbsent(question, mine);
    if (others != null) {
      return within(limit, others);
    }
    CompletableFuture<? extends V> answered;
    try {
      answered = asked.get();
    } catch (RuntimeException | Error thrown) {
      // The next caller must not wait for this question.
      now.asking.remove(question, mine);
      mine.completeExceptionally(thrown);
      return mine;
    }
    answered.whenComplete(
        (answer, thrown) -> {
          if (thrown != null) {
            now.asking.remove(question, mine);
            mine.completeExceptionally(thrown);
            return;
          }
          // The question itself may have established the connection. The name belongs to the plugin
          // on the connection over which it was reported, even if this connection is already lost.
          // The reported capabilities are used only if the plugin still has this name.
          if (answer instanceof CallPath.Answered<?> on) {
            now.generation = on.connection();
          }
          if (question instanceof Source source && answer instanceof CapabilitySet<?> set) {
            now.offered.put(source, set);
          }
          mine.complete(answer);
        });
    return mine;
  }

  /**
   * Returns the sources of capabilities that must be read for this request, in order: for the needs
   * of the call, and for the only request check that depends on capabilities.
   */
  private static Set<Source> sources(Message request, List<Need> needs) {
    boolean unstaged =
        request instanceof NodePublishVolumeRequest publish
            && publish.getStagingTargetPath().isEmpty();
    if (needs.isEmpty()) {
      return unstaged ? Set.of(Source.NODE) : Set.of();
    }
    Set<Source> sources = EnumSet.noneOf(Source.class);
    needs.forEach(need -> sources.add(need.source()));
    if (unstaged) {
      sources.add(Source.NODE);
    }
    return sources;
  }

  // ---- refusing

  private static Optional<CsiException> judge(
      Known now,
      CsiOperation operation,
      Message request,
      Function<StatusCode, CsiFailure.Builder> describe,
      List<Need> needs) {
    Optional<CsiException> refusal = missing(now, describe, needs);
    if (refusal.isPresent()) {
      return refusal;
    }
    List<Violation> violations = CapabilityRules.conditional(operation, request, now.offered);
    return violations.isEmpty()
        ? Optional.empty()
        : Optional.of(
            CallFailures.refused(describe.apply(StatusCode.INVALID_ARGUMENT), violations));
  }

  private static Optional<CsiException> missing(
      Known now, Function<StatusCode, CsiFailure.Builder> describe, List<Need> needs) {
    return CapabilityRules.firstMissing(needs, now.offered)
        .map(
            need ->
                new CsiUnsupportedException(
                    describe
                        .apply(StatusCode.UNIMPLEMENTED)
                        .why(need.missing())
                        .advice(need.advice())
                        .build(),
                    Optional.of(need.capability()),
                    null));
  }

  /** Waits for the question that another call asked, but not longer than this call may take. */
  private CompletableFuture<?> within(Duration limit, CompletableFuture<?> others) {
    CompletableFuture<Object> mine = new CompletableFuture<>();
    others.whenComplete(
        (answer, thrown) -> {
          if (thrown == null) {
            mine.complete(answer);
          } else {
            mine.completeExceptionally(thrown);
          }
        });
    if (mine.isDone()) {
      return mine;
    }
    try {
      Future<?> alarm =
          path.later(Math.max(1, limit.toNanos()), () -> mine.completeExceptionally(late(limit)));
      mine.whenComplete((answer, thrown) -> alarm.cancel(false));
    } catch (RejectedExecutionException closing) {
      return others;
    }
    return mine;
  }

  private CsiException late(Duration limit) {
    return new CsiTransientException(
        CsiFailure.builder(path.endpoint(), StatusCode.DEADLINE_EXCEEDED, Outcome.SETTLED)
            .plugin(path.name().orElse(null))
            .why("the plugin did not report its capabilities in time")
            .advice("Look at the plugin's log; it may hang.")
            .elapsed(limit)
            .build(),
        null);
  }

  private static CsiException failure(Throwable thrown) {
    Throwable cause = UnaryCall.unwrap(thrown);
    if (cause instanceof CsiException failure) {
      return failure;
    }
    throw new CompletionException(cause);
  }
}
