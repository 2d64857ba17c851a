package io.csi4j.examples;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.conformance.model.OrchestratorSetting;
import io.csi4j.conformance.model.OrchestratorUnderTest;
import io.csi4j.conformance.model.ScenarioWorkload;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimPage;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.controller.ControllerSettings;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.SecretsReference;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.NodeClaims;
import io.csi4j.volume.node.Reconciliation;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.node.WantedUse;
import io.csi4j.volume.node.WorkloadFacts;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.LocalStore;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A whole orchestrator of one node, made of csi4j, for the suite for orchestrators: claims say who
 * has a volume, a controller attaches it, a manager mounts it. Write yours like this one; what the
 * suite needs are mount, unmount, restart and close.
 */
final class ManagedNode implements OrchestratorUnderTest {

  private static final PluginId PLUGIN = PluginId.of("plugin-under-test");
  private static final int PAGE = 100;
  private static final NodeName NODE = NodeName.of("n1");
  private static final Namespace INLINE = Namespace.of("inline");

  private final OrchestratorSetting setting;
  private volatile Life life;

  ManagedNode(OrchestratorSetting setting) {
    this.setting = setting;
    this.life = new Life(setting);
  }

  @Override
  public Path mount(MountOrder order) {
    return life.mount(order);
  }

  @Override
  public void unmount(VolumeId volume, ScenarioWorkload workload) {
    ClaimProgress gone = life.unmount(volume, workload);
    assert gone instanceof ClaimProgress.Gone;
  }

  @Override
  public void refresh(MountOrder order) {
    MountedVolume kept = life.refresh(order);
    assert kept.path() != null;
  }

  @Override
  public Optional<Path> mountInline(
      String volume, ScenarioWorkload workload, VolumeContext attributes) {
    return Optional.of(life.mountInline(volume, workload, attributes));
  }

  @Override
  public void unmountInline(String volume, ScenarioWorkload workload) {
    life.unmountInline(volume, workload);
  }

  @Override
  public void restart() {
    life.close();
    life = new Life(setting);
  }

  @Override
  public void close() {
    life.close();
  }

  /** One process of it: all that it knows beside this is on disk. */
  private static final class Life implements AutoCloseable {

    private final ConcurrentMap<VolumeId, ReentrantLock> turns = new ConcurrentHashMap<>();
    private final OrchestratorSetting setting;
    private final CsiPlugin plugin;
    private final boolean hasController;
    private final RecordStore claims;
    private final RecordStore catalog;
    private final VolumeController controller;
    private final ClaimBook book;
    private final ClaimCoordinator coordinator;
    private final VolumeManager manager;

    Life(OrchestratorSetting setting) {
      this.setting = setting;
      Path directory = setting.directory();
      Duration call = setting.callDeadline();
      plugin =
          CsiPlugin.connect(
              setting.node(),
              ConnectOptions.builder().policies(each -> each.attemptDeadline(call)).build());
      hasController =
          plugin.identity().getPluginCapabilities().offers(PluginCapability.CONTROLLER_SERVICE);
      claims = LocalStore.open(directory.resolve("claims"));
      catalog = LocalStore.open(directory.resolve("catalog"));
      controller =
          VolumeController.builder(controllers(), catalog)
              .claims(claims)
              .secrets(volume -> secrets(VolumeId.of(volume.value())))
              .settings(
                  ControllerSettings.builder()
                      .policy(
                          each ->
                              each.attemptDeadline(call)
                                  .backoff(Duration.ofMillis(20))
                                  .budget(call.multipliedBy(5)))
                      .build())
              .open();
      book = new ClaimBook(claims, Clock.systemUTC());
      coordinator =
          new ClaimCoordinator(book, controller.attachments(), Clock.systemUTC(), event -> {});
      manager =
          VolumeManager.builder(directory.resolve("v"))
              .plugin(
                  PluginBinding.builder(PLUGIN, setting.node())
                      .policy(policy(call))
                      .connectOptions(
                          ConnectOptions.builder()
                              .policies(each -> each.attemptDeadline(call))
                              .build())
                      .build())
              .claims(NodeClaims.of(NODE, book::standing))
              .settings(
                  ManagerSettings.builder()
                      .patience(call.multipliedBy(10))
                      .closing(Duration.ofMillis(100))
                      .build())
              .open();
      Reconciliation begun = reconcile(wanted());
      assert begun.done() != null;
    }

    /** The claims are the truth, also where they leave nothing of what was found. */
    private Reconciliation reconcile(List<WantedUse> wanted) {
      try {
        return manager.reconcile(wanted);
      } catch (VolumeException refused) {
        if (refused.code() != OperatorCode.LIST_TAKES_ALL) {
          throw refused;
        }
        return manager.releaseFound();
      }
    }

    /**
     * What is to stay mounted after a start: the claims that nobody has given back. With a claim
     * that cannot be read this is not known, and nothing is unmounted.
     */
    private List<WantedUse> wanted() {
      List<WantedUse> wanted = new ArrayList<>();
      Optional<VolumeKey> after = Optional.empty();
      do {
        ClaimPage page = book.page(after, PAGE);
        if (!page.unreadable().isEmpty()) {
          throw new IllegalStateException(page.unreadable().get(0).message().line());
        }
        for (Claim claim : page.claims()) {
          claim.holders().values().stream()
              .filter(holder -> holder.state() == ClaimHolder.State.TAKEN)
              .map(holder -> VolumeUse.of(claim.volume(), holder.workload()))
              .forEach(usage -> wanted.add(new WantedUse.Named(usage)));
        }
        after = page.next();
      } while (after.isPresent());
      // Nobody else can have an inline volume, so nobody claims it: who has one is wanted.
      manager.volumes().stream()
          .flatMap(volume -> volume.uses().stream())
          .map(VolumeStatus.Use::key)
          .filter(usage -> usage.volume().namespace().equals(INLINE))
          .forEach(usage -> wanted.add(new WantedUse.Named(usage)));
      return wanted;
    }

    /** The plugin of the suite makes plain directories and files, and mounts nothing. */
    private static MountPolicy policy(Duration call) {
      return MountPolicy.builder()
          .requireMount(false)
          .requireDevice(false)
          .attemptDeadline(call)
          .backoff(Duration.ofMillis(20))
          .backoffCap(Duration.ofMillis(200))
          .backgroundCap(Duration.ofMillis(500))
          .quarantine(call.multipliedBy(2))
          .healthInterval(Duration.ZERO)
          .build();
    }

    private PluginRegistry controllers() {
      PluginRegistry registry = InMemoryPluginRegistry.open();
      var unused =
          registry.register(
              new PluginRegistration(
                  PluginBinding.of(PLUGIN, setting.controller()),
                  InstanceId.ONLY,
                  Set.of(hasController ? PluginRole.CONTROLLER : PluginRole.NODE)));
      return registry;
    }

    private SecretsProvider secrets(VolumeId volume) {
      return operation -> setting.secrets(volume, operation);
    }

    /** The names of a host have no control characters; those of the suite may. */
    private static VolumeUse usage(VolumeId volume, ScenarioWorkload workload) {
      return VolumeUse.of(
          VolumeKey.of(volume.value()),
          WorkloadId.of(URLEncoder.encode(workload.value(), StandardCharsets.UTF_8)));
    }

    /** Controller and node are never called for one volume at a time. */
    private <T> T alone(VolumeId volume, Supplier<T> work) {
      ReentrantLock turn = turns.computeIfAbsent(volume, each -> new ReentrantLock());
      turn.lock();
      try {
        return work.get();
      } finally {
        turn.unlock();
      }
    }

    Path mountInline(String volume, ScenarioWorkload workload, VolumeContext attributes) {
      MountRequest request =
          MountRequest.inline(PLUGIN, inline(volume, workload), AccessMode.SINGLE_NODE_WRITER)
              .volumeContext(attributes)
              .build();
      return manager.mount(request).path();
    }

    void unmountInline(String volume, ScenarioWorkload workload) {
      UnmountOutcome gone = manager.unmount(inline(volume, workload));
      assert gone != null;
    }

    private static VolumeUse inline(String volume, ScenarioWorkload workload) {
      return VolumeUse.of(VolumeKey.of(INLINE, volume), WorkloadId.of(workload.value()));
    }

    Path mount(MountOrder order) {
      return alone(order.volume(), () -> mountAlone(order));
    }

    private Path mountAlone(MountOrder order) {
      MountedVolume mounted = manager.mount(request(order, granted(order)));
      VolumeHealth health = manager.health(mounted.usage()); // no other call of it is under way
      assert health != null;
      return mounted.path();
    }

    MountedVolume refresh(MountOrder order) {
      return alone(order.volume(), () -> manager.refresh(request(order, granted(order))));
    }

    /** Claims the volume and attaches it, or finds that this was done. */
    private ClaimGrant granted(MountOrder order) {
      boolean isBlock = order.capability().isBlock();
      AccessMode mode = order.capability().accessMode();
      VolumeUse usage = usage(order.volume(), order.workload());
      VolumeSpec spec =
          VolumeSpec.builder(PLUGIN)
              .use(order.capability())
              .secrets(SecretsReference.of(order.volume().value()))
              .build();
      controller.register(
          CatalogVolume.builder(usage.volume(), spec, order.volume())
              .context(order.context())
              .build());
      ClaimRequest.Builder claim =
          ClaimRequest.builder(
              usage,
              NODE,
              new Claim.Use(mode, isBlock ? AttachmentMode.BLOCK : AttachmentMode.FILESYSTEM),
              order.readonly() ? ClaimMode.READ : ClaimMode.WRITE);
      order.capability().mountOptions().ifPresent(claim::options);
      if (controller.attaches(PLUGIN)) { // only then a plugin has to say how it names its node
        claim.nodeId(nodeId());
      }
      return coordinator.acquire(claim.build());
    }

    private MountRequest request(MountOrder order, ClaimGrant grant) {
      AccessMode mode = order.capability().accessMode();
      VolumeUse usage = usage(order.volume(), order.workload());
      MountRequest.Builder request =
          MountRequest.builder(PLUGIN, usage, order.volume(), mode)
              .volumeContext(order.context())
              .claim(grant)
              .secrets(secrets(order.volume()))
              .block(order.capability().isBlock())
              .readOnly(order.readonly());
      if (setting.takesWorkloadFacts()) {
        request.workloadFacts(WorkloadFacts.of(usage));
      }
      return request.build();
    }

    private NodeId nodeId() {
      return plugin.node().getInfo().nodeId();
    }

    ClaimProgress unmount(VolumeId volume, ScenarioWorkload workload) {
      return alone(volume, () -> unmountAlone(volume, usage(volume, workload)));
    }

    private ClaimProgress unmountAlone(VolumeId volume, VolumeUse usage) {
      Optional<ClaimHolder> holder = book.read(usage.volume()).holder(usage.workload());
      ClaimProgress progress = coordinator.release(usage); // from now on nothing is mounted with it
      manager.unmount(usage);
      if (holder.isPresent()) {
        progress =
            coordinator.confirmRelease(
                manager.receipt(usage, holder.get().epoch(), PLUGIN, volume)); // looks at mounts
      }
      if (!(progress instanceof ClaimProgress.Gone)) {
        throw new IllegalStateException("It is not back yet: " + progress);
      }
      if (book.read(usage.volume()).holders().isEmpty()) {
        controller.deregister(usage.volume());
      }
      return progress;
    }

    @Override
    public void close() {
      manager.close();
      controller.close();
      catalog.close();
      claims.close();
      plugin.close();
    }
  }
}
