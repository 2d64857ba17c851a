package io.csi4j.volume.internal.plugin;

import io.csi4j.volume.internal.link.PluginConnections;
import io.csi4j.volume.internal.plugin.Roster.Change;
import io.csi4j.volume.internal.plugin.Roster.Move;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.ListenerHub;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginException;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginHandle;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The registry of this process. Lookups take no lock. Changes are made one after the other under a
 * lock; they are reported and stored after the lock is released.
 */
public final class LivePluginRegistry implements PluginRegistry.Closeable {

  private final Ground ground;
  private final PluginMemory memory;
  private final ServingSwitch serving;
  private final ListenerHub hub;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Lane> lanes = new ArrayList<>();
  private final List<Waiter> waiting = new ArrayList<>();

  /** The actions that ask an instance for its capabilities again. */
  private final ConcurrentMap<Doubted, Runnable> doubts = new ConcurrentHashMap<>();

  private volatile Roster roster;
  private long tickets;
  private boolean closed;

  /**
   * The parts of a registry.
   *
   * @param clock the clock
   * @param scheduler the timers
   * @param telling runs the notifications of listeners and waiting callers
   * @param connections the connections to the plugins
   */
  public record Ground(
      Clock clock, Scheduler scheduler, Executor telling, PluginConnections connections) {}

  private record Doubted(PluginId plugin, InstanceId instance) {}

  private LivePluginRegistry(Ground ground, PluginMemory memory, ServingSwitch serving) {
    this.ground = ground;
    this.memory = memory;
    this.serving = serving;
    hub = new ListenerHub("plugins", ground.telling());
    roster = memory.load(ground.clock().wall());
  }

  /** Opens a registry with the instances of an earlier run, which serve their plugins again. */
  public static LivePluginRegistry open(Ground ground, PluginMemory memory, ServingSwitch serving) {
    LivePluginRegistry registry = new LivePluginRegistry(ground, memory, serving);
    registry.roster.plugins().forEach(plugin -> registry.show(plugin).run());
    return registry;
  }

  /**
   * Returns the connections to the plugins of a registry. For a registry that the host implements,
   * these are new connections.
   */
  public static PluginConnections connections(PluginRegistry registry) {
    return registry instanceof LivePluginRegistry live
        ? live.ground.connections()
        : new PluginConnections();
  }

  // ---- changes

  @Override
  public PluginHandle register(PluginRegistration registration) {
    return register(registration, Move.REFUSED);
  }

  /** Registers an instance that may have moved to another socket, because the host states this. */
  public PluginHandle replace(PluginRegistration registration) {
    return register(registration, Move.ALLOWED);
  }

  private PluginHandle register(PluginRegistration registration, Move move) {
    Handle handle = new Handle(registration);
    change(
        registration.id(),
        now -> {
          if (closed) {
            throw PluginMessages.closed(registration);
          }
          handle.ticket = ++tickets;
          return now.register(registration, handle.ticket, move, ground.clock().wall());
        });
    return handle;
  }

  @Override
  public boolean deregister(PluginId plugin, InstanceId instance) {
    boolean[] was = new boolean[1];
    change(
        plugin,
        now -> {
          Optional<Member> member = now.member(plugin, instance).filter(known -> !closed);
          was[0] = member.isPresent();
          return member.map(now::deregister).orElseGet(now::unchanged);
        });
    return was[0];
  }

  /** Makes a change, and then notifies the affected listeners and waiting callers. */
  private void change(PluginId plugin, Function<Roster, Change> rule) {
    List<Lane> told = new ArrayList<>();
    Runnable after;
    Change change;
    lock.lock();
    try {
      change = rule.apply(roster);
      roster = change.roster();
      for (Lane lane : lanes) {
        change.told().stream()
            .filter(each -> each.role() == lane.role())
            .forEach(each -> lane.listening().add(each.event()));
      }
      told.addAll(lanes);
      after = show(plugin);
    } finally {
      lock.unlock();
    }
    if (change.durable()) {
      memory.save(plugin, () -> roster.of(plugin));
    }
    after.run();
    endWaiting();
    told.forEach(lane -> lane.listening().wake());
    change
        .refusal()
        .ifPresent(
            refusal -> {
              throw refusal;
            });
  }

  private Runnable show(PluginId plugin) {
    return serving.serve(plugin, roster.serving(plugin, PluginRole.NODE).map(Member::known));
  }

  // ---- handles

  private final class Handle implements PluginHandle {

    private final PluginRegistration registration;

    /** Guarded by the lock. */
    private long ticket;

    private volatile Runnable asksAgain = () -> {};

    Handle(PluginRegistration registration) {
      this.registration = registration;
    }

    @Override
    public PluginRegistration registration() {
      return registration;
    }

    @Override
    public void report(PluginHealth health) {
      changeMine((now, member) -> now.report(member, health));
    }

    @Override
    public void report(PluginFingerprint fingerprint) {
      changeMine((now, member) -> now.report(member, fingerprint, ground.clock().wall()));
    }

    @Override
    public void onDoubt(Runnable asksAgain) {
      this.asksAgain = asksAgain;
      doubts.put(doubted(), asksAgain);
    }

    private Doubted doubted() {
      return new Doubted(registration.id(), registration.instance());
    }

    @Override
    public void close() {
      doubts.remove(doubted(), asksAgain);
      changeMine(Roster::deregister);
    }

    private void changeMine(BiFunction<Roster, Member, Change> rule) {
      change(
          registration.id(),
          now ->
              now.member(registration.id(), registration.instance())
                  .filter(member -> member.ticket() == ticket && !closed)
                  .map(member -> rule.apply(now, member))
                  .orElseGet(now::unchanged));
    }

    @Override
    public String toString() {
      return "PluginHandle[" + registration + "]";
    }
  }

  @Override
  public void recheck(PluginId plugin) {
    doubts.forEach(
        (instance, asksAgain) -> {
          if (instance.plugin().equals(plugin)) {
            asksAgain.run();
          }
        });
  }

  // ---- lookups

  @Override
  public Optional<RegisteredPlugin> find(PluginId plugin, PluginRole role) {
    return roster.serving(plugin, role).map(Member::known);
  }

  @Override
  public RegisteredPlugin get(PluginId plugin, PluginRole role) {
    Roster now = roster;
    return now.serving(plugin, role)
        .map(Member::known)
        .orElseThrow(() -> PluginMessages.missing(plugin, role, now.all()));
  }

  @Override
  public List<RegisteredPlugin> plugins() {
    return roster.all();
  }

  // ---- waiting

  /** A caller that waits until a ready instance serves a role of a plugin. */
  private final class Waiter {

    private final PluginId plugin;
    private final PluginRole role;
    private final CompletableFuture<RegisteredPlugin> end = new CompletableFuture<>();

    /** Guarded by the lock. */
    private Scheduler.@Nullable Timer timer;

    Waiter(PluginId plugin, PluginRole role) {
      this.plugin = plugin;
      this.role = role;
    }

    Optional<RegisteredPlugin> found() {
      return roster
          .serving(plugin, role)
          .filter(member -> member.health().isReady())
          .map(Member::known);
    }

    /** Completes the caller's future on a thread where this cannot delay reports. */
    void tell(Runnable end) {
      try {
        ground.telling().execute(end);
      } catch (RuntimeException | OutOfMemoryError refused) {
        end.run();
      }
    }
  }

  @Override
  public CompletableFuture<RegisteredPlugin> await(
      PluginId plugin, PluginRole role, Duration limit) {
    Waiter waiter = new Waiter(plugin, role);
    lock.lock();
    try {
      // The lookup follows the registration of the waiter, so that no change is missed.
      Optional<RegisteredPlugin> there = waiter.found();
      if (there.isPresent()) {
        return CompletableFuture.completedFuture(there.get());
      }
      if (closed) {
        return CompletableFuture.failedFuture(PluginMessages.closed(plugin, role));
      }
      waiting.add(waiter);
      waiter.timer =
          ground
              .scheduler()
              .after(
                  limit,
                  () ->
                      waiter.tell(
                          () ->
                              waiter.end.completeExceptionally(
                                  PluginMessages.late(plugin, role, limit, roster.all()))));
    } finally {
      lock.unlock();
    }
    // A caller that cancels its wait is removed.
    waiter.end.whenComplete((found, failure) -> forget(waiter));
    return waiter.end;
  }

  private void forget(Waiter waiter) {
    lock.lock();
    try {
      waiting.remove(waiter);
      if (waiter.timer != null) {
        waiter.timer.cancel();
      }
    } finally {
      lock.unlock();
    }
  }

  private List<Waiter> waiting() {
    lock.lock();
    try {
      return List.copyOf(waiting);
    } finally {
      lock.unlock();
    }
  }

  /** Ends the waiting for plugins that are ready now. */
  private void endWaiting() {
    for (Waiter waiter : waiting()) {
      waiter.found().ifPresent(found -> waiter.tell(() -> waiter.end.complete(found)));
    }
  }

  // ---- listeners

  /** A listener of one role. */
  private record Lane(PluginRole role, ListenerHub.Listening<PluginEvent> listening) {}

  @Override
  public AutoCloseable listen(PluginRole role, PluginEvent.Listener listener) {
    Lane lane = new Lane(role, hub.listen(listener::on));
    lock.lock();
    try {
      for (RegisteredPlugin known : roster.all()) {
        if (known.registration().roles().contains(role)) {
          lane.listening().add(new PluginEvent.Registered(known, false));
        }
      }
      lanes.add(lane);
    } finally {
      lock.unlock();
    }
    lane.listening().wake();
    return () -> forget(lane);
  }

  private void forget(Lane lane) {
    lane.listening().close();
    lock.lock();
    try {
      lanes.remove(lane);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Closes the registry, which then accepts no changes. The instances that are registered now
   * remain stored, even if they are deregistered later. Listeners receive no more events.
   */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      lanes.forEach(lane -> lane.listening().close());
      lanes.clear();
    } finally {
      lock.unlock();
    }
    for (Waiter waiter : waiting()) {
      PluginException failure = PluginMessages.closed(waiter.plugin, waiter.role);
      waiter.tell(() -> waiter.end.completeExceptionally(failure));
    }
  }
}
