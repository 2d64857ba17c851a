package io.csi4j.volume.controller.sim;

import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.ReleaseProof;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.ControllerSettings;
import io.csi4j.volume.controller.SimulatedControllers;
import io.csi4j.volume.controller.SnapshotName;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** A process with a real controller and a real coordinator of claims, and those that use them. */
final class ControlPlane extends Timeline.SimProcess implements SimulatedControllers.Machine {

  private static final PluginId PLUGIN = PluginId.of("simulated");

  private static final PluginRegistry REGISTRY = registry();

  private static final VolumeSpec SPEC =
      VolumeSpec.builder(PLUGIN)
          .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
          .capacity(CapacityRange.atLeast(1 << 20))
          .build();

  private static final Claim.Use USE =
      new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM);

  final int number;
  final int life;
  final String name;
  private final PlaneWorld world;
  private final Timeline timeline;
  private final SharedStore.Line line;
  private final long begin;
  private VolumeController controller;
  private ClaimCoordinator claims;

  /** The names of snapshots with an operation of this process. */
  private final Set<String> busy = new HashSet<>();

  private long cutUntil;
  private boolean isAgeIgnored;

  ControlPlane(PlaneWorld world, int number, int life) {
    this.world = world;
    this.timeline = world.timeline;
    this.number = number;
    this.life = life;
    this.name = "cp" + number + "." + life;
    this.line = world.store.new Line(this);
    this.begin = timeline.now();
  }

  private static PluginRegistry registry() {
    PluginRegistry registry = InMemoryPluginRegistry.open();
    var unused =
        registry.register(
            new PluginRegistration(
                PluginBinding.builder(PLUGIN, CsiEndpoint.of(Path.of("/simulated.sock"))).build(),
                InstanceId.of("only"),
                EnumSet.of(PluginRole.CONTROLLER)));
    return registry;
  }

  // ---- its life

  void open() {
    while (controller == null) {
      try {
        controller =
            SimulatedControllers.open(
                VolumeController.builder(REGISTRY, line)
                    .claims(line)
                    .controlPlane(name)
                    .settings(
                        ControllerSettings.builder().longestWait(Duration.ofSeconds(90)).build())
                    .told(this::reported),
                this,
                world.storage.plugin(this));
        claims =
            new ClaimCoordinator(
                new ClaimBook(line, world.clock),
                attachments(controller.attachments()),
                world.clock,
                event -> {});
      } catch (ControllerException storeDown) {
        timeline.sleep(Duration.ofSeconds(1).toNanos());
      }
    }
    for (int i = 0; i < 2; i++) {
      timeline.after(this, world.millis(2_000), this::serve);
    }
  }

  private StorageController attachments(StorageController real) {
    if (!world.lost(LostRule.RECORD_IS_NOT_ASKED)) {
      return real;
    }
    return (StorageController)
        Proxy.newProxyInstance(
            StorageController.class.getClassLoader(),
            new Class<?>[] {StorageController.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("whyNot")) {
                return Optional.empty();
              }
              if (method.getName().equals("attaches")) {
                return false;
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException failed) {
                throw failed.getCause();
              }
            });
  }

  private void reported(OperatorMessage message) {
    world.tell(name + " reports " + message.line());
    if (message.code() == OperatorCode.STEP_FAILED && !isDead()) {
      throw world.violation("a step fell over: " + message.line());
    }
  }

  void cut(long nanos) {
    cutUntil = Math.max(cutUntil, timeline.now() + nanos);
  }

  boolean isCutOff() {
    return timeline.now() < cutUntil;
  }

  void heal() {
    cutUntil = 0;
  }

  // ---- those that use it

  private void serve() {
    while (!world.isCalm()) {
      timeline.sleep(world.millis(5_000));
      VolumeKey key = world.keys.get(timeline.pick(world.keys.size()));
      attempt(() -> operate(key));
    }
  }

  private void attempt(Runnable operation) {
    try {
      operation.run();
    } catch (ControllerException failed) {
      world.count(PlaneWorld.Count.FAILED);
      world.tell(name + " fails: " + failed.operatorMessage().line());
      if (failed.code() == OperatorCode.STEP_FAILED && !isDead()) {
        if (world.play.tells()) {
          failed.getCause().printStackTrace(System.out);
        }
        throw world.violation("a step fell over: " + failed.operatorMessage().line());
      }
    } catch (ClaimException failed) {
      world.count(PlaneWorld.Count.FAILED);
      world.tell(name + " fails: " + failed.operatorMessage().line());
    }
  }

  private void operate(VolumeKey key) {
    switch (timeline.pick(world.play.snapshots() ? 14 : 10)) {
      case 0, 1, 2 -> create(key);
      case 3, 4 -> delete(key);
      case 5 -> expand(key);
      case 6, 7 -> acquire(key);
      case 10, 11 -> cut(key);
      case 12 -> keep(key);
      case 13 -> drop(key);
      default -> release(key);
    }
  }

  /** Makes one request for the first volume. */
  void request(PlaneWorld.Request request) {
    VolumeKey key = world.keys.get(0);
    switch (request) {
      case CREATE -> attempt(() -> create(key));
      case DELETE -> attempt(() -> delete(key));
      case EXPAND -> attempt(() -> expand(key));
      case USE -> {
        attempt(() -> acquire(key));
        attempt(() -> release(key));
      }
      case CUT -> attempt(() -> cut(key));
      case KEEP -> attempt(() -> keep(key));
      case DROP -> attempt(() -> drop(key));
      case NONE -> {}
    }
  }

  private void create(VolumeKey key) {
    int before = world.judge.before(key);
    CatalogVolume made = await(controller.async().create(key, SPEC).toCompletableFuture());
    world.tell(name + " has made " + key + " as " + made.id());
    world.judge.acknowledged(key, made.id(), before);
  }

  private void delete(VolumeKey key) {
    world.judge.deletes(key);
    try {
      var unused = await(controller.async().delete(key).toCompletableFuture());
      world.tell(name + " has deleted " + key);
    } finally {
      if (!isDead()) {
        world.judge.deletionEnded(key);
      }
    }
  }

  private void expand(VolumeKey key) {
    long size = (2L + timeline.pick(4)) << 20;
    CatalogVolume grown =
        await(controller.async().expand(key, CapacityRange.atLeast(size)).toCompletableFuture());
    world.judge.grown(key, grown.id(), size);
  }

  /** Cuts the snapshot of the present tick, which another control plane may have cut. */
  private void cut(VolumeKey key) {
    String name = world.judge.tick(key);
    alone(
        name,
        () -> {
          Snapshot cut = await(SimulatedControllers.cut(controller, key, SnapshotName.of(name)));
          world.tell(this.name + " has cut " + name + " as " + cut.id());
          world.judge.cut(name, cut.id());
        });
  }

  /** Keeps the snapshot of the present tick, if its host has noted it. */
  private void keep(VolumeKey key) {
    String name = world.judge.tick(key);
    if (world.judge.isNoted(name)) {
      alone(name, () -> keep(key, name));
      if (timeline.pick(2) == 0) {
        world.judge.ticks(key);
      }
    }
  }

  private void keep(VolumeKey key, String name) {
    boolean wasOnRecord = await(SimulatedControllers.keep(controller, key, SnapshotName.of(name)));
    world.tell(this.name + " has kept " + name + ": " + wasOnRecord);
    world.count(PlaneWorld.Count.KEPT);
  }

  /** Drops the snapshot of the present tick, unless its host has noted it. */
  private void drop(VolumeKey key) {
    String name = world.judge.tick(key);
    if (!world.judge.isNoted(name)) {
      alone(name, () -> drop(key, name));
    }
  }

  private void drop(VolumeKey key, String name) {
    world.judge.drops(name);
    boolean wasOnRecord =
        await(controller.async().dropSnapshot(key, SnapshotName.of(name)).toCompletableFuture());
    world.tell(this.name + " has dropped " + name + ": " + wasOnRecord);
    world.count(PlaneWorld.Count.DROPPED);
  }

  /** A thread that waits for its turn at a name waits in real time: none of this process does. */
  private void alone(String snapshot, Runnable operation) {
    if (!busy.add(snapshot)) {
      return;
    }
    try {
      operation.run();
    } finally {
      busy.remove(snapshot);
    }
  }

  private void acquire(VolumeKey key) {
    String node = "n" + timeline.pick(2);
    world.judge.granted(
        claims.acquire(
            ClaimRequest.builder(
                    VolumeUse.of(key, WorkloadId.of("w" + timeline.pick(2))),
                    NodeName.of(node),
                    USE,
                    ClaimMode.WRITE)
                .nodeId(NodeId.of(node))
                .build()));
  }

  private void release(VolumeKey key) {
    List<ClaimHolder> all = new ArrayList<>(world.store.claim(key).others(Claim.DELETION));
    if (!all.isEmpty()) {
      release(VolumeUse.of(key, all.get(timeline.pick(all.size())).workload()));
    }
  }

  private void release(VolumeUse usage) {
    var unused = claims.release(usage);
    Optional<ClaimHolder> holder =
        world
            .store
            .claim(usage.volume())
            .holder(usage.workload())
            .filter(it -> it.state() != ClaimHolder.State.TAKEN);
    if (holder.isPresent()) {
      boolean isUsed = world.judge.isUsedAfter(usage, holder.get());
      var confirmed =
          claims.confirmRelease(
              new NodeReceipt(
                  usage,
                  holder.get().epoch(),
                  holder.get().node(),
                  "boot",
                  List.of(Path.of("/t")),
                  isUsed ? NodeReceipt.Staging.KEPT_FOR_OTHERS : NodeReceipt.Staging.GONE));
      world.tell(name + " has released " + usage + ": " + confirmed);
      world.count(PlaneWorld.Count.RELEASED);
    }
  }

  /** A person ends all claims, also what was attached for one that had ended. */
  void endClaims() {
    for (VolumeKey key : world.keys) {
      for (int round = 0; round < 2; round++) {
        for (ClaimHolder each : world.store.claim(key).others(Claim.DELETION)) {
          attempt(() -> release(VolumeUse.of(key, each.workload())));
        }
        for (String node : attaches() ? List.of("n0", "n1") : List.<String>of()) {
          attempt(() -> claims.detachUnclaimed(key, NodeId.of(node)));
        }
      }
    }
    attempt(() -> world.tell(name + " resumes: " + claims.resume()));
  }

  /**
   * A person deletes all volumes, and answers for what a late call may have attached. No controller
   * detaches a volume that is not on record any more; the judge knows that it is not attached.
   */
  void deleteAll() {
    for (VolumeKey key : world.keys) {
      for (String cut : world.judge.pending(key)) {
        attempt(() -> settle(key, cut));
      }
      attempt(() -> delete(key));
      for (ClaimHolder each : world.store.claim(key).others(Claim.DELETION)) {
        if (each.workload().value().startsWith("left-attached-")) {
          world.count(PlaneWorld.Count.ANSWERED_FOR);
          world.judge.answeredFor(key, each.node());
          attempt(() -> answerFor(VolumeUse.of(key, each.workload()), each));
          attempt(() -> delete(key));
        }
      }
    }
  }

  private void settle(VolumeKey key, String cut) {
    if (world.judge.isNoted(cut)) {
      keep(key, cut);
    } else {
      drop(key, cut);
    }
  }

  private void answerFor(VolumeUse usage, ClaimHolder holder) {
    var unused =
        claims.confirmRelease(
            new ReleaseProof.OperatorOverride(
                usage,
                holder.epoch(),
                new ClaimOverride.Person("ann"),
                new ReasonText("the volume is deleted"),
                ReleaseProof.Covers.NODE_AND_STORAGE));
  }

  // ---- its machine

  @Override
  public boolean attaches() {
    return world.play.attaches();
  }

  @Override
  public <T> T await(CompletableFuture<T> future) {
    return timeline.await(future);
  }

  @Override
  public void sending(CsiOperation operation) {
    isAgeIgnored =
        world.lost(LostRule.SESSION_AGE_IS_IGNORED)
            && operation != CsiOperation.CONTROLLER_PUBLISH_VOLUME
            && operation != CsiOperation.CONTROLLER_UNPUBLISH_VOLUME;
  }

  @Override
  public void sent() {
    isAgeIgnored = false;
  }

  @Override
  public long nanos() {
    if (isAgeIgnored) {
      isAgeIgnored = false;
      return 0;
    }
    long now = timeline.now();
    return world.lost(LostRule.SESSION_ENDS_EARLY) && number == 0
        ? begin + (now - begin) * 12
        : now;
  }

  @Override
  public Instant wall() {
    return Instant.EPOCH.plusNanos(timeline.now());
  }

  @Override
  public void execute(Runnable work) {
    timeline.after(this, timeline.pick(1_000_000), work);
  }

  @Override
  public Timer after(Duration delay, Runnable work) {
    if (world.play.lost() == LostRule.LEFT_WORK_STAYS && delay.toSeconds() == 30) {
      return () -> {};
    }
    return timeline.after(this, delay.toNanos(), work)::cancel;
  }

  @Override
  public double random() {
    return timeline.random();
  }
}
