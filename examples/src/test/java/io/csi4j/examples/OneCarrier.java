package io.csi4j.examples;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountSettings;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.journal.JournalStateStore;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
import java.io.IOException;
import java.io.PrintStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A program whose virtual threads share one carrier: one makes a call that waits, and another asks
 * csi4j for something. Prints {@code others ran} or {@code others waited}, and ends.
 */
final class OneCarrier {

  /** How long another thread may take to run; it is idle apart from that. */
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private static final PluginId PLUGIN = PluginId.of("fake");
  private static final VolumeId VOLUME = VolumeId.of("vol-1");
  private static final VolumeKey DB = VolumeKey.of("db");
  private static final NodeId NODE = NodeId.of("node-1");

  /** The disk that does not sync is one of the test, in a FUSE filesystem. */
  private static final JournalSettings SETTINGS =
      JournalSettings.builder().ballastSize(1024).acceptAnyFilesystem(true).build();

  private final Path directory;
  private final PrintStream out;
  private final ExecutorService virtual;

  private OneCarrier(Path directory, PrintStream out) throws ReflectiveOperationException {
    this.directory = directory;
    this.out = out;
    // By its name: these sources are compiled for a JDK that has no virtual threads.
    virtual =
        (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
  }

  public static void main(String[] args) {
    int end = 1;
    try {
      new OneCarrier(Path.of(args[1]), System.out).show(args[0]);
      end = 0;
    } catch (Exception | Error failed) {
      failed.printStackTrace(System.out);
    } finally {
      System.out.flush();
      // What waits is left waiting.
      Runtime.getRuntime().halt(end);
    }
  }

  private void show(String scenario) throws Exception {
    switch (scenario) {
      case "connect" -> connect();
      case "client" -> client();
      case "mount" -> mount();
      case "create" -> create();
      case "acquire" -> acquire();
      case "mount-while-the-disk-hangs" -> mountWhileTheDiskHangs();
      case "create-while-the-disk-hangs" -> createWhileTheDiskHangs();
      case "acquire-while-the-disk-hangs" -> acquireWhileTheDiskHangs();
      case "put-while-the-disk-hangs" -> putWhileTheDiskHangs();
      case "unmount-while-the-server-hangs" -> unmountWhileTheServerHangs();
      case "probe-while-the-server-hangs" -> probeWhileTheServerHangs();
      default -> throw new IllegalArgumentException(scenario);
    }
  }

  // ---- the verdict

  /** Whether another virtual thread runs while this call waits. */
  private void verdict(Callable<?> call, BooleanSupplier waits, Callable<?> other)
      throws Exception {
    Future<?> waiting = virtual.submit(call);
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!waits.getAsBoolean()) {
      if (waiting.isDone()) {
        out.println("did not wait: " + waiting.get());
        return;
      }
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException("It does not come to the place where it waits.");
      }
      LockSupport.parkNanos(1_000_000);
    }
    Future<?> others = virtual.submit(other);
    try {
      var unused = others.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      out.println(waiting.isDone() ? "did not wait: " + waiting.get() : "others ran");
    } catch (TimeoutException held) {
      out.println("others waited");
    }
  }

  /** The test holds what the call waits for: it says when to call, and when the call waits. */
  private BooleanSupplier untilTold() throws IOException {
    out.println("calling");
    out.flush();
    if (System.in.read() != '\n') {
      throw new IllegalStateException("The test has ended.");
    }
    return () -> {
      try {
        return System.in.available() > 0 && System.in.read() == '\n';
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    };
  }

  private static BooleanSupplier got(FakeCsiPlugin plugin, CsiOperation call) {
    return () -> !plugin.journal().calls(call).isEmpty();
  }

  // ---- a plugin that does not answer

  private void connect() throws Exception {
    Path socket = directory.resolve("silent.sock");
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(socket));
    server.configureBlocking(false);
    SocketChannel[] accepted = new SocketChannel[1];
    verdict(
        () -> CsiPlugin.connect(CsiEndpoint.of(socket)),
        () -> {
          try {
            accepted[0] = accepted[0] == null ? server.accept() : accepted[0];
            return accepted[0] != null;
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        },
        () -> "another");
  }

  private void client() throws Exception {
    FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.nodeOnly());
    fake.inject(Fault.hang(), When.calling(CsiOperation.NODE_GET_INFO));
    CsiPlugin plugin = CsiPlugin.connect(fake.endpoint(), ConnectOptions.builder().build());
    verdict(
        () -> plugin.node().getInfo(),
        got(fake, CsiOperation.NODE_GET_INFO),
        () -> plugin.identity().probe());
  }

  private void mount() throws Exception {
    FakeCsiPlugin fake = nodePlugin();
    fake.inject(Fault.hang(), When.calling(CsiOperation.NODE_STAGE_VOLUME));
    VolumeManager manager =
        VolumeManager.builder(directory.resolve("manager")).plugin(binding(fake)).open();
    verdict(
        () -> manager.mount(request()),
        got(fake, CsiOperation.NODE_STAGE_VOLUME),
        manager::volumes);
  }

  private void create() throws Exception {
    FakeCsiPlugin fake = controllerPlugin();
    fake.inject(Fault.hang(), When.calling(CsiOperation.CREATE_VOLUME));
    VolumeController controller = controller(fake, MemoryMedium.create().open());
    verdict(
        () -> controller.create(DB, spec()),
        got(fake, CsiOperation.CREATE_VOLUME),
        controller::volumes);
  }

  private void acquire() throws Exception {
    FakeCsiPlugin fake = controllerPlugin();
    fake.inject(Fault.hang(), When.calling(CsiOperation.CONTROLLER_PUBLISH_VOLUME));
    VolumeController controller = controller(fake, MemoryMedium.create().open());
    var unused = controller.create(DB, spec());
    ClaimBook book = new ClaimBook(new MemoryStore(), Clock.systemUTC());
    verdict(
        () -> coordinator(book, controller).acquire(claim()),
        got(fake, CsiOperation.CONTROLLER_PUBLISH_VOLUME),
        () -> book.read(DB));
  }

  // ---- a disk that does not sync

  private void mountWhileTheDiskHangs() throws Exception {
    StateStore state = journal();
    VolumeManager manager =
        VolumeManager.builder(directory.getParent().resolve("manager"))
            .state(state)
            .plugin(binding(nodePlugin()))
            .open();
    verdict(() -> manager.mount(request()), untilTold(), manager::volumes);
  }

  private void createWhileTheDiskHangs() throws Exception {
    VolumeController controller = controller(controllerPlugin(), journal());
    verdict(() -> controller.create(DB, spec()), untilTold(), () -> "another");
  }

  private void acquireWhileTheDiskHangs() throws Exception {
    VolumeController controller = controller(controllerPlugin(), MemoryMedium.create().open());
    var unused = controller.create(DB, spec());
    RecordStore claims = LocalStore.on(journal());
    ClaimBook book = new ClaimBook(claims, Clock.systemUTC());
    verdict(() -> coordinator(book, controller).acquire(claim()), untilTold(), () -> "another");
  }

  private void putWhileTheDiskHangs() throws Exception {
    StateStore state = journal();
    verdict(
        () -> state.put(StateKey.volume("v"), StateValue.of(new byte[] {1}), Durability.REQUIRED),
        untilTold(),
        () -> "another");
  }

  private StateStore journal() {
    return JournalStateStore.open(directory.resolve("state"), SETTINGS);
  }

  // ---- a kernel that does not return

  private void unmountWhileTheServerHangs() throws Exception {
    Mounts mounts = Mounts.system(new MountSettings(Duration.ofSeconds(60), 4));
    UnmountPolicy once = UnmountPolicy.PLAIN.withBusyLimit(Duration.ZERO);
    MountPath below = MountPath.of(directory).resolve("below");
    verdict(() -> mounts.unmount(below, once), untilTold(), () -> MountTable.system().list());
  }

  private void probeWhileTheServerHangs() throws Exception {
    BooleanSupplier never = untilTold();
    verdict(() -> MountTable.system().probe(MountPath.of(directory)), never, () -> "another");
  }

  // ---- parts

  private static FakeCsiPlugin nodePlugin() {
    FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.nodeOnly());
    fake.addVolume(VOLUME);
    return fake;
  }

  private static FakeCsiPlugin controllerPlugin() {
    return FakeCsiPlugin.builder()
        .shape(PluginShape.full())
        .nodes(NODE)
        .effects(NodeEffects.none())
        .open();
  }

  private static PluginBinding binding(FakeCsiPlugin fake) {
    return PluginBinding.builder(PLUGIN, fake.endpoint())
        .policy(MountPolicy.builder().requireMount(false).build())
        .build();
  }

  private static MountRequest request() {
    return MountRequest.builder(
            PLUGIN,
            VolumeUse.of(VolumeKey.of("data"), WorkloadId.of("web-1")),
            VOLUME,
            AccessMode.SINGLE_NODE_WRITER)
        .build();
  }

  private static VolumeController controller(FakeCsiPlugin fake, StateStore state) {
    PluginRegistry plugins = InMemoryPluginRegistry.open();
    plugins.register(PluginRegistration.controller(PluginBinding.of(PLUGIN, fake.endpoint())));
    return VolumeController.builder(plugins, LocalStore.on(state)).open();
  }

  private static VolumeSpec spec() {
    return VolumeSpec.builder(PLUGIN)
        .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
        .build();
  }

  private static ClaimCoordinator coordinator(ClaimBook book, VolumeController controller) {
    return new ClaimCoordinator(book, controller.attachments(), Clock.systemUTC(), event -> {});
  }

  private static ClaimRequest claim() {
    return ClaimRequest.builder(
            VolumeUse.of(DB, WorkloadId.of("web-1")),
            NodeName.of("n1"),
            new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .nodeId(NODE)
        .build();
  }
}
