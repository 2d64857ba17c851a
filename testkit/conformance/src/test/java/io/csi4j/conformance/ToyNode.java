package io.csi4j.conformance;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerPublishVolumeRequest;
import io.csi4j.client.controller.ControllerUnpublishVolumeRequest;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiRequestException;
import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.client.node.NodePublishVolumeRequest;
import io.csi4j.client.node.NodeStageVolumeRequest;
import io.csi4j.client.node.NodeUnpublishVolumeRequest;
import io.csi4j.client.node.NodeUnstageVolumeRequest;
import io.csi4j.conformance.ToyVolume.Target;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.conformance.model.OrchestratorSetting;
import io.csi4j.conformance.model.ScenarioWorkload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** The toy as one running process: everything here is gone after a crash, but for the disk. */
final class ToyNode implements AutoCloseable {

  private final OrchestratorSetting setting;
  private final ConcurrentMap<VolumeId, ToyVolume> disk;
  private final Set<Defect> defects;
  private final ConcurrentMap<VolumeId, ReentrantLock> locks = new ConcurrentHashMap<>();
  private final ReentrantLock globalLock = new ReentrantLock();
  private final AtomicInteger attempts = new AtomicInteger();
  private final CsiPlugin controller;
  private final CsiPlugin node;
  private volatile boolean dead;

  ToyNode(
      OrchestratorSetting setting, ConcurrentMap<VolumeId, ToyVolume> disk, Set<Defect> defects) {
    this.setting = setting;
    this.disk = disk;
    this.defects = defects;
    Duration call = setting.callDeadline();
    ConnectOptions options =
        ConnectOptions.builder()
            .policies(
                policy ->
                    policy
                        .attemptDeadline(call)
                        .attempts(has(Defect.NEW_PATH_EACH_ATTEMPT) ? 1 : 3)
                        .backoff(Duration.ofMillis(20))
                        .pendingBackoff(Duration.ofMillis(40))
                        .budget(call.multipliedBy(5)))
            .build();
    controller = CsiPlugin.connect(setting.controller(), options);
    node =
        setting.node().equals(setting.controller())
            ? controller
            : CsiPlugin.connect(setting.node(), options);
  }

  @Override
  public void close() {
    dead = true;
    controller.close();
    node.close();
  }

  // ---- mounting

  Path mount(MountOrder order) {
    return locked(order.volume(), () -> mountAlone(order));
  }

  private Path mountAlone(MountOrder order) {
    ToyVolume volume =
        Optional.ofNullable(disk.get(order.volume())).orElseGet(() -> ToyVolume.of(order));
    if (!volume.order().capability().equals(order.capability())) {
      throw new IllegalStateException("the volume is in use in another way");
    }
    Target before = volume.targets().get(order.workload().value());
    if (before != null && before.done()) {
      if (has(Defect.LAST_ORDER_WINS) && before.readonly() != order.readonly()) {
        unpublish(order, before);
        publish(volume, order, before.path());
      }
      return before.path();
    }
    Path path = targetPath(order);
    Target target = new Target(path, order.readonly(), before != null && before.tried(), false);
    if (!has(Defect.CLAIM_AFTER_PUBLISH)) {
      volume = save(volume.with(order.workload(), target));
    }
    try {
      volume = stage(attach(volume), order.workload());
      publish(volume, order, path);
      return path;
    } catch (RuntimeException e) {
      if (has(Defect.FAILED_MOUNT_IS_FORGOTTEN)) {
        disk.remove(order.volume());
      }
      throw e;
    }
  }

  // ---- inline volumes, of which the plugin alone remembers anything

  Path mountInline(String volume, ScenarioWorkload workload, VolumeContext attributes) {
    VolumeId id = inlineId(volume, workload);
    Path path = inlinePath(volume, workload);
    return locked(
        id,
        () -> {
          make(path.getParent());
          sent(
              () -> {
                node.node()
                    .publishVolume(
                        NodePublishVolumeRequest.builder(
                                id,
                                plugin(path),
                                VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER))
                            .volumeContext(
                                attributes.with(Map.of("csi.storage.k8s.io/ephemeral", "true")))
                            .build());
                return path;
              });
          return path;
        });
  }

  void unmountInline(String volume, ScenarioWorkload workload) {
    VolumeId id = inlineId(volume, workload);
    Path path = inlinePath(volume, workload);
    locked(
        id,
        () -> {
          // NOT_FOUND does not count as done: a plugin owes OK to a repeat.
          node.node().unpublishVolume(NodeUnpublishVolumeRequest.builder(id, plugin(path)).build());
          return path;
        });
  }

  private VolumeId inlineId(String volume, ScenarioWorkload workload) {
    return VolumeId.of(
        "inline-" + hash(has(Defect.INLINE_NAMED_BY_JOB) ? volume : workload + "/" + volume));
  }

  private Path inlinePath(String volume, ScenarioWorkload workload) {
    return setting.directory().resolve("i").resolve(hash(workload + "/" + volume)).resolve("v");
  }

  private ToyVolume attach(ToyVolume volume) {
    if (!attaches() || volume.attached().isPresent()) {
      return volume;
    }
    ToyVolume owed = save(volume.attaching());
    MountOrder order = volume.order();
    PublishContext context =
        sent(
            () ->
                controller
                    .controller()
                    .publishVolume(
                        ControllerPublishVolumeRequest.builder(
                                id(order), node.node().getInfo().nodeId(), order.capability())
                            .volumeContext(context(order))
                            .secrets(secrets(order, CsiOperation.CONTROLLER_PUBLISH_VOLUME))
                            .build())
                    .publishContext());
    return save(owed.attached(context));
  }

  private ToyVolume stage(ToyVolume volume, ScenarioWorkload workload) {
    boolean again = has(Defect.STAGING_PER_WORKLOAD);
    if (!stages() || (volume.staged() && !again)) {
      return volume;
    }
    MountOrder order = volume.order();
    Path path =
        setting
            .directory()
            .resolve("s")
            .resolve(hash(order.volume().value() + (again ? workload.value() : "")));
    make(path);
    ToyVolume owed = volume.staging(path);
    if (!has(Defect.UNCERTAIN_IS_NOT_DONE)) {
      save(owed);
    }
    sent(
        () -> {
          node.node()
              .stageVolume(
                  NodeStageVolumeRequest.builder(id(order), plugin(path), order.capability())
                      .publishContext(publishContext(volume))
                      .volumeContext(has(Defect.FACTS_AT_STAGING) ? told(order) : context(order))
                      .secrets(secrets(order, CsiOperation.NODE_STAGE_VOLUME))
                      .build());
          return true;
        });
    return save(owed.stagedNow());
  }

  private void publish(ToyVolume volume, MountOrder order, Path path) {
    make(path.getParent());
    if (has(Defect.MAKES_TARGET)) {
      make(path);
    }
    Target tried = new Target(path, order.readonly(), true, false);
    if (!has(Defect.CLAIM_AFTER_PUBLISH)) {
      save(volume.with(order.workload(), tried));
    }
    publishNow(volume, order, path);
    if (!has(Defect.OK_IS_BELIEVED) && !Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      throw new IllegalStateException("the plugin made nothing at " + path);
    }
    ToyVolume now = Optional.ofNullable(disk.get(order.volume())).orElse(volume);
    save(now.with(order.workload(), new Target(path, order.readonly(), true, true)));
  }

  private void publishNow(ToyVolume volume, MountOrder order, Path path) {
    NodePublishVolumeRequest.Builder request =
        NodePublishVolumeRequest.builder(id(order), plugin(path), published(order))
            .readonly(order.readonly() && !has(Defect.IGNORES_READ_ONLY))
            .publishContext(publishContext(volume))
            .volumeContext(told(order))
            .secrets(
                secrets(
                    order,
                    has(Defect.SECRETS_OF_ANOTHER_CALL)
                        ? CsiOperation.NODE_STAGE_VOLUME
                        : CsiOperation.NODE_PUBLISH_VOLUME));
    if (volume.staged()) {
      volume.staging().map(ToyNode::plugin).ifPresent(request::stagingTargetPath);
    }
    sent(
        () -> {
          node.node().publishVolume(request.build());
          return true;
        });
  }

  private VolumeCapability published(MountOrder order) {
    VolumeCapability capability = order.capability();
    return has(Defect.FLAGS_AT_STAGING_ONLY) && !capability.isBlock()
        ? VolumeCapability.mount(capability.accessMode())
        : capability;
  }

  /** Publishes again at the same path; what is there stays. */
  void refresh(MountOrder order) {
    locked(
        order.volume(),
        () -> {
          ToyVolume volume = disk.get(order.volume());
          Target target = volume.targets().get(order.workload().value());
          try {
            publishNow(volume, order, target.path());
          } catch (RuntimeException e) {
            if (has(Defect.UNDOES_FAILED_REFRESH)) {
              unmountAlone(order.volume(), order.workload());
            }
            throw e;
          }
          return true;
        });
  }

  // ---- unmounting

  void unmount(VolumeId id, ScenarioWorkload workload) {
    if (has(Defect.CLAIM_AFTER_PUBLISH)) {
      unmountAlone(id, workload);
    } else {
      locked(
          id,
          () -> {
            unmountAlone(id, workload);
            return true;
          });
    }
  }

  private void unmountAlone(VolumeId id, ScenarioWorkload workload) {
    ToyVolume volume = disk.get(id);
    if (volume == null) {
      return;
    }
    Target target = volume.targets().get(workload.value());
    if (target == null && !volume.targets().isEmpty() && !has(Defect.STRANGER_IS_THE_LAST)) {
      return;
    }
    if (target != null) {
      unpublish(volume.order(), target);
      volume = save(volume.without(workload));
    }
    boolean last =
        volume.targets().isEmpty()
            || has(Defect.ANY_UNMOUNT_IS_THE_LAST)
            || (target == null && has(Defect.STRANGER_IS_THE_LAST));
    if (last) {
      tearDown(volume);
    }
  }

  private void unpublish(MountOrder order, Target target) {
    if (!target.tried()) {
      return;
    }
    try {
      node.node()
          .unpublishVolume(
              NodeUnpublishVolumeRequest.builder(id(order), plugin(target.path())).build());
    } catch (CsiException e) {
      if (!has(Defect.FAILED_UNPUBLISH_IS_DONE)) {
        throw e;
      }
    }
    removeEmpty(target.path());
    removeEmpty(target.path().getParent());
  }

  private void tearDown(ToyVolume volume) {
    VolumeId id = volume.order().volume();
    ToyVolume now = volume;
    if (has(Defect.RECORD_GONE_BEFORE_UNSTAGE)) {
      disk.remove(id);
    }
    if (has(Defect.DETACHES_FIRST)) {
      now = detach(now);
    }
    boolean owed = now.staging().isPresent();
    if (owed && (stages() || !has(Defect.TRUSTS_PRESENT_CAPABILITIES))) {
      Path path = now.staging().orElseThrow();
      node.node()
          .unstageVolume(NodeUnstageVolumeRequest.builder(id(now.order()), plugin(path)).build());
      removeEmpty(path);
      now = has(Defect.RECORD_GONE_BEFORE_UNSTAGE) ? now.unstaged() : save(now.unstaged());
    }
    detach(now);
    disk.remove(id);
  }

  private ToyVolume detach(ToyVolume volume) {
    if (!volume.attachOwed()) {
      return volume;
    }
    MountOrder order = volume.order();
    controller
        .controller()
        .unpublishVolume(
            ControllerUnpublishVolumeRequest.builder(id(order), node.node().getInfo().nodeId())
                .secrets(secrets(order, CsiOperation.CONTROLLER_UNPUBLISH_VOLUME))
                .build());
    return has(Defect.RECORD_GONE_BEFORE_UNSTAGE) ? volume.detached() : save(volume.detached());
  }

  // ---- parts of requests

  private boolean has(Defect defect) {
    return defects.contains(defect);
  }

  private boolean attaches() {
    return !has(Defect.HAS_NO_CONTROLLER)
        && controller.identity().getPluginCapabilities().offers(PluginCapability.CONTROLLER_SERVICE)
        && controller
            .controller()
            .getCapabilities()
            .offers(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
  }

  private boolean stages() {
    return node.node().getCapabilities().offers(NodeCapability.STAGE_UNSTAGE_VOLUME);
  }

  private VolumeId id(MountOrder order) {
    return has(Defect.LOWERCASES_IDS)
        ? VolumeId.of(order.volume().value().toLowerCase(Locale.ROOT))
        : order.volume();
  }

  private VolumeContext context(MountOrder order) {
    return has(Defect.LOSES_VOLUME_CONTEXT) ? VolumeContext.empty() : order.context();
  }

  /** The context with the facts of the workload, for a plugin that takes them. */
  private VolumeContext told(MountOrder order) {
    return setting.takesWorkloadFacts()
        ? context(order).with(Map.of("csi.storage.k8s.io/pod.name", order.workload().value()))
        : context(order);
  }

  private PublishContext publishContext(ToyVolume volume) {
    return has(Defect.LOSES_PUBLISH_CONTEXT)
        ? PublishContext.empty()
        : volume.attached().orElse(PublishContext.empty());
  }

  private Secrets secrets(MountOrder order, CsiOperation operation) {
    return setting.secrets(order.volume(), operation);
  }

  /** Sends, and sends again what is refused, if that is what is wrong. */
  private <T> T sent(Supplier<T> call) {
    if (!has(Defect.REPEATS_WHAT_IS_REFUSED)) {
      return call.get();
    }
    try {
      return call.get();
    } catch (CsiRequestException | CsiUnsupportedException e) {
      return call.get();
    }
  }

  private ToyVolume save(ToyVolume volume) {
    if (dead) {
      throw new IllegalStateException("crashed");
    }
    disk.put(volume.order().volume(), volume);
    return volume;
  }

  private <T> T locked(VolumeId id, Supplier<T> work) {
    if (has(Defect.NO_LOCK)) {
      return work.get();
    }
    ReentrantLock lock =
        has(Defect.ONE_LOCK_FOR_ALL)
            ? globalLock
            : locks.computeIfAbsent(id, each -> new ReentrantLock());
    lock.lock();
    try {
      return work.get();
    } finally {
      lock.unlock();
    }
  }

  // ---- paths

  private Path targetPath(MountOrder order) {
    Path parent =
        setting
            .directory()
            .resolve("t")
            .resolve(hash(order.volume().value()) + "-" + hash(order.workload().value()));
    return parent.resolve(
        has(Defect.NEW_PATH_EACH_ATTEMPT) ? "v" + attempts.incrementAndGet() : "v");
  }

  private static PluginPath plugin(Path path) {
    return PluginPath.of(path.toString());
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, 10);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void make(Path directory) {
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void removeEmpty(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
