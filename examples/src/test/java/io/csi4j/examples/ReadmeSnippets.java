package io.csi4j.examples;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerExpandVolumeRequest;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.ListVolumesRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.identity.PluginInfo;
import io.csi4j.client.metadata.BlockRange;
import io.csi4j.client.metadata.GetMetadataAllocatedRequest;
import io.csi4j.client.metadata.MetadataStream;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.node.NodeStageVolumeRequest;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountResult;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.model.UnmountResult;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.mount.KernelCall;
import io.csi4j.testkit.mount.MemoryKernel;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.claim.store.LocalClaimStore;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.WantedUse;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.SupervisedPlugin;
import io.csi4j.volume.plugin.launch.PluginLaunchPlan;
import io.csi4j.volume.plugin.launch.ProcessPluginLauncher;
import io.csi4j.volume.plugin.supervision.PluginSupervisor;
import io.csi4j.volume.workload.Preflight;
import io.csi4j.volume.workload.PropagationPermission;
import io.csi4j.volume.workload.TaskMounts;
import io.csi4j.volume.workload.TaskRuntime;
import io.csi4j.volume.workload.VolumeLookup;
import io.csi4j.volume.workload.VolumeMount;
import io.csi4j.volume.workload.VolumeRequest;
import io.csi4j.volume.workload.VolumeType;
import io.csi4j.volume.workload.WorkloadVolumes;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** The code blocks of the README, each between a mark with its name and one that ends it. */
final class ReadmeSnippets {

  private ReadmeSnippets() {}

  // snippet: connect
  public static void main(String[] args) {
    try (CsiPlugin plugin = CsiPlugin.connect(CsiEndpoint.parse(args[0]))) {
      PluginInfo info = plugin.identity().getPluginInfo();
      System.out.println(info.name() + " " + info.vendorVersion());
      System.out.println("offers " + plugin.controller().getCapabilities().offered());
      System.out.println("this node is " + plugin.node().getInfo().nodeId());
    } catch (CsiException failed) {
      System.err.println(failed.getMessage());
    }
  }

  // end

  static void outcome(
      CsiPlugin plugin,
      CreateVolumeRequest request,
      Consumer<Volume> use,
      Consumer<String> log,
      Consumer<String> keepOnRecord) {
    // snippet: outcome
    try {
      use.accept(plugin.controller().createVolume(request));
    } catch (CsiException failed) {
      log.accept(failed.getMessage());
      if (failed.outcome() == Outcome.UNCERTAIN) {
        keepOnRecord.accept(request.name()); // there may be a volume; the same request finds it
      }
    }
    // end
  }

  static void volumes(
      Path directory,
      PluginId plugin,
      CsiEndpoint endpoint,
      List<WantedUse> live,
      Volume created,
      Consumer<Path> workload,
      Consumer<String> log) {
    // snippet: volumes
    VolumeUse usage = VolumeUse.of(VolumeKey.of("db-1"), WorkloadId.of("web-1"));
    try (VolumeManager manager = VolumeManager.open(directory)) { // finds again what is mounted
      manager.register(PluginBinding.of(plugin, endpoint));
      manager.reconcile(live); // once: all that is still wanted; the rest is given back
      MountedVolume mounted =
          manager.mount(
              MountRequest.builder(plugin, usage, created.id(), AccessMode.SINGLE_NODE_WRITER)
                  .volumeContext(created.context())
                  .build());
      workload.accept(mounted.path());
      log.accept("given back: " + manager.unmount(usage)); // the two names are all it needs
    } catch (VolumeException failed) {
      log.accept(failed.outcome() + " " + failed.getMessage());
    }
    // end
  }

  static void claims(
      Path directory,
      VolumeController controller,
      VolumeManager manager,
      ClaimRequest request,
      MountRequest.Builder volume,
      Consumer<Object> host) {
    // snippet: claims
    Clock clock = Clock.systemUTC();
    try (ClaimStore store = LocalClaimStore.open(directory)) { // or EtcdClaimStore
      ClaimCoordinator claims =
          new ClaimCoordinator(
              new ClaimBook(store, clock), controller.attachments(), clock, host::accept);
      ClaimGrant grant = claims.acquire(request); // claimed, and attached to its node
      host.accept(manager.mount(volume.claim(grant).build()));
      claims.release(grant.usage());
      manager.unmount(grant.usage());
      claims.confirmRelease(manager.receipt(grant.usage(), grant.epoch())); // detached, and free
    }
    // end
  }

  static void plugins(
      VolumeManager manager,
      Path directory,
      Path sockets,
      List<String> command,
      Consumer<Object> log,
      Runnable host) {
    // snippet: plugins
    PluginConfig config =
        PluginConfig.builder("disk.csi.example", sockets).volumeRoot(directory).build();
    PluginLaunchPlan plan = PluginLaunchPlan.of(config); // what whoever starts it has to see to
    try (PluginSupervisor supervisor = PluginSupervisor.open(manager.plugins());
        SupervisedPlugin plugin = supervisor.supervise(config); // registered once it is ready
        ProcessPluginLauncher process =
            ProcessPluginLauncher.builder(plan, command).output(log::accept).start()) {
      manager.plugins().await(config.id(), PluginRole.NODE, Duration.ofMinutes(1)).join();
      log.accept(plugin.health().state() + " in process " + process.process().getAsLong());
      host.run(); // whenever the plugin ends it is started again; what is mounted stays
    }
    // end
  }

  static TaskMounts workloads(
      VolumeManager manager, VolumeLookup volumes, WorkloadId workload, TaskRuntime task) {
    // snippet: workloads
    WorkloadVolumes wanted =
        WorkloadVolumes.builder(workload, volumes) // finds what the host knows of "db"
            .volume(
                VolumeRequest.builder("data", VolumeType.CSI, "db")
                    .accessMode("single-node-writer")
                    .attachment("filesystem")
                    .build())
            .task(task, VolumeMount.builder("data").destination("/var/lib/db").build())
            .build();
    Preflight.of(manager).check(wanted).orThrow(); // all that stands in the way, at once
    List<MountedVolume> mounted = wanted.mountAll(manager);
    TaskMounts mounts = wanted.mountsFor(task.task(), mounted, PropagationPermission.nobody());
    // end
    return mounts;
  }

  static CompletableFuture<Volume> async(
      CsiPlugin plugin, CreateVolumeRequest request, Consumer<Volume> use) {
    // snippet: async
    CompletionStage<Volume> made = plugin.controller().async().createVolume(request);
    made.thenAccept(use); // on a thread that may block
    CompletableFuture<Volume> call = made.toCompletableFuture(); // cancelling it cancels the call
    // end
    return call;
  }

  static void listing(CsiPlugin plugin, Consumer<VolumeEntry> use) {
    // snippet: listing
    ListVolumesRequest pages = ListVolumesRequest.builder().maxEntries(500).build();
    for (VolumeEntry entry : plugin.controller().volumes(pages)) {
      use.accept(entry); // the next page is read when this one is used up
    }
    // end
  }

  static void stream(CsiPlugin plugin, SnapshotId snapshot, Consumer<List<BlockRange>> use) {
    // snippet: stream
    GetMetadataAllocatedRequest request = GetMetadataAllocatedRequest.builder(snapshot).build();
    try (MetadataStream blocks = plugin.snapshotMetadata().getMetadataAllocated(request)) {
      while (blocks.hasNext()) {
        use.accept(blocks.next().ranges()); // the plugin is asked for the next batch only then
      }
    }
    // end
  }

  static ConnectOptions policies() {
    // snippet: policies
    ConnectOptions options =
        ConnectOptions.builder()
            .deadline(Duration.ofSeconds(30)) // of connecting
            .policies(policy -> policy.attempts(5)) // of every operation
            .policy(
                CsiOperation.CREATE_SNAPSHOT, // of this one
                policy ->
                    policy.attemptDeadline(Duration.ofMinutes(10)).budget(Duration.ofMinutes(30)))
            .build();
    // end
    return options;
  }

  static void policyOfACall(CsiPlugin plugin, NodeStageVolumeRequest request) {
    // snippet: policy of a call
    plugin.node().with(policy -> policy.attempts(1)).stageVolume(request);
    // end
  }

  static void capabilities(
      CsiPlugin plugin, ControllerExpandVolumeRequest request, Consumer<String> log) {
    // snippet: capabilities
    if (plugin.controller().getCapabilities().offers(ControllerCapability.EXPAND_VOLUME)) {
      plugin.controller().expandVolume(request);
    }
    try {
      plugin.controller().expandVolume(request); // never sent to a plugin that does not offer it
    } catch (CsiUnsupportedException refused) {
      log.accept("missing: " + refused.missing().orElse("the plugin answered UNIMPLEMENTED"));
    }
    // end
  }

  static Secrets secrets(String password, Consumer<String> log) {
    // snippet: secrets
    Secrets secrets = Secrets.of(Map.of("password", password));
    log.accept("using " + secrets); // using Secrets{password=<redacted>}
    // end
    return secrets;
  }

  static ConnectOptions peer() {
    // snippet: peer
    ConnectOptions options =
        ConnectOptions.builder()
            .requirePeerUid(0)
            .requireName(PluginName.of("disk.csi.example"))
            .build();
    // end
    return options;
  }

  static UnmountResult mounts(
      Mounts mounts, MountPath volume, MountPath target, Consumer<String> log) {
    // snippet: mounts
    try {
      MountResult bound =
          mounts.bind(BindRequest.builder(volume, target).createTarget().readOnly().build());
      log.accept(bound.created() ? "bound" : "was there already");
      return mounts.unmount(bound.ref(), UnmountPolicy.PLAIN.withBusyLimit(Duration.ofSeconds(5)));
    } catch (MountException failed) {
      log.accept(failed.reason() + ": " + failed.getMessage());
      throw failed;
    }
    // end
  }

  static MountProbe mountsInMemory() {
    // snippet: mounts in memory
    MemoryKernel kernel = new MemoryKernel();
    MountPath volume = kernel.host().directory(MountPath.of("/volumes/one"));
    MountPath target = kernel.host().directory(MountPath.of("/workloads/a"));
    kernel.failNext(KernelCall.UNMOUNT, new Errno(5)); // the next unmount is answered with EIO
    kernel.mounts().bind(BindRequest.builder(volume, target).build());
    MountProbe found = kernel.table().probe(target);
    // end
    return found;
  }

  static void fakePlugin(CreateVolumeRequest request, Consumer<String> log) {
    // snippet: fake plugin
    try (FakeCsiPlugin fake = FakeCsiPlugin.open();
        CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
      fake.inject(
          Fault.applyThenFail(StatusCode.ABORTED, "busy"),
          When.calling(CsiOperation.CREATE_VOLUME).once());
      plugin.controller().createVolume(request); // fails once, is tried again, finds the volume
      log.accept(fake.journal().describe());
      fake.assertLawful();
    }
    // end
  }
}
