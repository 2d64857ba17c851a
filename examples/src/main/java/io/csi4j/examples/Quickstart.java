package io.csi4j.examples;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.DeleteVolumeRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.RecoveryReport;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.WantedUse;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.SupervisedPlugin;
import io.csi4j.volume.plugin.launch.ProcessPluginLauncher;
import io.csi4j.volume.plugin.supervision.PluginSupervisor;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.journal.JournalStateStore;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The lifecycle of a volume on this machine. The volume is created and mounted for a workload. It
 * stays mounted while the process that mounted it, and then its plugin, are killed. Then it is
 * shared with a second workload, and released. The mounts are real, so the program needs root or a
 * user namespace; the script {@code examples/quickstart} creates a user namespace.
 */
public final class Quickstart {

  static final PluginId PLUGIN = PluginId.of("hostpath.csi4j.example");
  static final VolumeKey VOLUME = VolumeKey.of("notes");
  static final VolumeUse WEB_1 = VolumeUse.of(VOLUME, WorkloadId.of("web-1"));
  static final VolumeUse WEB_2 = VolumeUse.of(VOLUME, WorkloadId.of("web-2"));

  /** Several workloads on one node may write. */
  private static final AccessMode MODE = AccessMode.SINGLE_NODE_MULTI_WRITER;

  private final Path directory;
  private final Story story;
  private final Patience patience;

  private Quickstart(Path directory, Story story, Patience patience) {
    this.directory = directory;
    this.story = story;
    this.patience = patience;
  }

  /** Runs the quickstart in the given directory, which is created if it is missing. */
  public static void main(String[] args) {
    Patience patience = Patience.since(ProcessHandle.current());
    System.exit(run(args, System.out, System.err, patience));
  }

  static int run(String[] args, PrintStream out, PrintStream err, Patience patience) {
    return Program.show(
        "Quickstart PATH",
        args,
        err,
        directory -> new Quickstart(directory, new Story(out), patience).tell());
  }

  static CsiPlugin connect(CsiEndpoint endpoint, Patience patience) {
    return CsiPlugin.connect(endpoint, ConnectOptions.builder().deadline(patience.limit()).build());
  }

  /** Returns the directory of the volumes, for the manager that is killed and for its successor. */
  static Path volumes(Path directory) {
    return directory.resolve("volumes");
  }

  static Path socket(Path directory) {
    return sockets(directory).resolve("csi.sock");
  }

  private static Path sockets(Path directory) {
    return directory.resolve("csi");
  }

  /** Creates the volume. A repeated request returns the existing volume. */
  static Volume volume(CsiPlugin plugin) {
    return plugin
        .controller()
        .createVolume(
            CreateVolumeRequest.builder("notes", List.of(VolumeCapability.mount(MODE)))
                .capacityRange(CapacityRange.atLeast(16 << 20))
                .build());
  }

  /** Returns the request of a workload for the volume. */
  static MountRequest wish(Volume volume, VolumeUse usage) {
    return MountRequest.builder(PLUGIN, usage, volume.id(), MODE)
        .volumeContext(volume.context())
        .build();
  }

  /** Returns the configuration of the plugin. The host needs it before the plugin runs. */
  private PluginConfig plugin() {
    return PluginConfig.builder(PLUGIN.value(), sockets(directory))
        .volumeRoot(volumes(directory))
        .startInterval(Duration.ofMillis(100))
        .healthTimeout(patience.limit())
        .build();
  }

  private void tell() throws IOException {
    story.title("A volume for two workloads, and two crashes. Everything is in " + directory + ".");
    PluginConfig config = plugin();
    try (MortalPlugin plugin = MortalPlugin.launch(config, directory.resolve("plugin"), patience)) {
      long process = plugin.started();
      try (CsiPlugin client = connect(config.endpoint(), patience)) {
        story.step("plugin", PLUGIN + ", process " + process + ", listens at " + config.endpoint());
        Volume volume = volume(client);
        story.step("plugin", "created a volume: " + volume.id());
        use(volume, plugin);
        client.controller().deleteVolume(DeleteVolumeRequest.builder(volume.id()).build());
        story.step("plugin", "deleted the volume");
      }
    }
    story.end();
  }

  private void use(Volume volume, MortalPlugin plugin) throws IOException {
    Path seen;
    FileChannel open;
    try (MortalHost host = MortalHost.start(directory)) {
      seen = host.mounted(story);
      Path notes = seen.resolve("notes.txt");
      open = FileChannel.open(notes, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      write(open, "written before the crash\n");
      story.step("web-1", "wrote notes.txt, reads it back, and keeps it open: " + read(notes));
      host.kill();
      story.step("crash", "process " + host.pid() + " was killed (SIGKILL); it unmounted nothing");
    }
    Path root = volumes(directory);
    try (open) {
      write(open, "written while nobody managed the volume\n");
      story.step("web-1", "wrote to the file that it holds open: no error");
    }
    BlockingQueue<PluginEvent> told = new LinkedBlockingQueue<>();
    // A manager without a listener logs the events that an operator must know. Here the quickstart
    // prints them instead.
    try (VolumeManager manager = VolumeManager.builder(root).listener(event -> {}).open();
        PluginSupervisor supervisor =
            PluginSupervisor.builder(manager.plugins()).listener(told::add).open()) {
      adopted(manager, seen);
      manager.reconcile(List.of(new WantedUse.Requested(wish(volume, WEB_1))));
      SupervisedPlugin watched = supervisor.supervise(plugin());
      awaitReady(told);
      ProcessPluginLauncher.Event.Ended ended = plugin.kill();
      story.step("crash", "the plugin was killed (SIGKILL) after " + Story.seconds(ended.lived()));
      Files.writeString(seen.resolve("alone.txt"), "written without a plugin\n");
      story.step("web-1", "has its volume as ever: " + read(seen.resolve("alone.txt")));
      comeBack(plugin, watched, told);
      share(manager, wish(volume, WEB_2), seen);
      giveBack(manager);
    }
    left(root);
  }

  /** The launcher starts the plugin again; the quickstart only reports it. */
  private void comeBack(
      MortalPlugin plugin, SupervisedPlugin watched, BlockingQueue<PluginEvent> told) {
    long begun = System.nanoTime();
    long process = plugin.started();
    watched.restarted();
    awaitReady(told);
    story.step(
        "plugin",
        "was started again, as process "
            + process
            + ", and is ready after "
            + Story.millis(since(begun)));
  }

  private void awaitReady(BlockingQueue<PluginEvent> told) {
    boolean isReady = false;
    while (!isReady) {
      PluginEvent event = patience.next(told);
      isReady = event instanceof PluginEvent.HealthChanged changed && changed.now().isReady();
    }
  }

  private void adopted(VolumeManager manager, Path seen) throws IOException {
    RecoveryReport found = manager.recovered();
    expect(found.adopted().equals(List.of(WEB_1)), "The mount was not adopted: " + found);
    expect(manager.hasMount(WEB_1), "The mount of web-1 is not there any more.");
    story.step(
        "host",
        "another manager, here in process "
            + ProcessHandle.current().pid()
            + ", adopted "
            + found.adopted()
            + " in "
            + Story.millis(found.elapsed())
            + ", asking no plugin");
    story.step("web-1", "is mounted where it was, and reads: " + read(seen.resolve("notes.txt")));
  }

  private void share(VolumeManager manager, MountRequest wish, Path first) throws IOException {
    long begun = System.nanoTime();
    MountedVolume second = manager.mount(wish);
    story.step("host", "mounted it for web-2 in " + Story.millis(since(begun)) + ":");
    story.line(second.path().toString());
    Files.writeString(second.path().resolve("more.txt"), "hello from web-2");
    story.step("web-2", "reads what web-1 wrote, and writes more.txt");
    story.step("web-1", "reads it: " + read(first.resolve("more.txt")));
  }

  private void giveBack(VolumeManager manager) {
    for (VolumeUse usage : List.of(WEB_1, WEB_2)) {
      long begun = System.nanoTime();
      UnmountOutcome release = manager.unmount(usage);
      story.step(
          "host",
          "unmounted it for "
              + usage.workload()
              + " in "
              + Story.millis(since(begun))
              + (release == UnmountOutcome.LAST
                  ? ": the last, so it was unstaged"
                  : ": another workload has it still"));
    }
  }

  /** Prints how many entries are left in the mount table, the directories and the journal. */
  private void left(Path root) throws IOException {
    MountPath top = MountPath.of(root);
    int mounts =
        MountTable.system()
            .list(mount -> mount.path().isWithin(top) && !mount.path().equals(top))
            .records()
            .size();
    long directories;
    try (Stream<Path> all = Files.list(root.resolve("v"))) {
      directories = all.count();
    }
    Map<StateKey.Kind, Long> journal;
    try (JournalStateStore state =
        JournalStateStore.open(root.resolve("state"), JournalSettings.defaults())) {
      journal =
          state.load().values().keySet().stream()
              .collect(Collectors.groupingBy(StateKey::kind, Collectors.counting()));
    }
    long volumes = journal.getOrDefault(StateKey.Kind.VOLUME, 0L);
    story.step(
        "left",
        mounts
            + " mounts, "
            + directories
            + " directories of volumes; in the journal "
            + volumes
            + " volumes, and "
            + journal.getOrDefault(StateKey.Kind.TOMBSTONE, 0L)
            + " tombstone");
    expect(mounts + directories + volumes == 0, "Something is left in " + root + ".");
  }

  private static void write(FileChannel file, String text) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      file.write(bytes);
    }
  }

  private static String read(Path file) throws IOException {
    return Files.readAllLines(file).stream().collect(Collectors.joining("\", \"", "\"", "\""));
  }

  private static void expect(boolean good, String otherwise) {
    if (!good) {
      throw new IllegalStateException(otherwise);
    }
  }

  private static Duration since(long begun) {
    return Duration.ofNanos(System.nanoTime() - begun);
  }
}
