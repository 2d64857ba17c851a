package io.csi4j.volume.kill;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.NodeId;
import io.csi4j.volume.catalog.SteppingStore;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.controller.JobVolumes;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.internal.catalog.CatalogRecord;
import io.csi4j.volume.internal.catalog.CatalogWork;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.journal.JournalStateStore;
import io.csi4j.volume.store.PassingStore;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.local.LocalStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * The process that is killed while it looks after the volume of a job: a controller and a
 * coordinator, whose volumes and claims are on disk. It can be told to stand still at the nth of
 * the moments right before and right after each write; all that it asks of the plugin lies between
 * two of them.
 */
final class JobMain {

  static final PluginId PLUGIN = PluginId.of("fake");
  static final VolumeKey SCRATCH =
      JobVolumes.job(Namespace.DEFAULT, "render").task("frame").volume("scratch");
  static final VolumeUse USE = VolumeUse.of(SCRATCH, WorkloadId.of("frame-7"));
  static final NodeName NODE = NodeName.of("n1");

  private final PrintStream out;
  private int left;

  private JobMain(PrintStream out) {
    this.out = out;
  }

  /** The volume of the job. */
  static VolumeSpec spec(boolean retained) {
    VolumeSpec.Builder spec =
        VolumeSpec.builder(PLUGIN).use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM);
    return spec.ephemeral(!retained).build();
  }

  /** The claim of a task on the node that has this id. */
  static ClaimRequest wish(VolumeUse usage, NodeId node) {
    return ClaimRequest.builder(
            usage,
            NODE,
            new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .nodeId(node)
        .build();
  }

  /** What the node says when it has nothing mounted. */
  static NodeReceipt receipt(VolumeUse usage, long epoch) {
    return new NodeReceipt(
        usage, epoch, NODE, "boot", List.of(Path.of("/targets")), NodeReceipt.Staging.GONE);
  }

  /** What a process has open. */
  record Open(
      LocalStore claims,
      JournalStateStore state,
      VolumeController controller,
      ClaimBook book,
      ClaimCoordinator coordinator,
      JobVolumes volumes)
      implements AutoCloseable {

    static Open at(ClaimMain.Places places) {
      return at(places, new JobMain(System.out));
    }

    private static Open at(ClaimMain.Places places, JobMain main) {
      PluginRegistry plugins = InMemoryPluginRegistry.open();
      plugins.register(
          new PluginRegistration(
              PluginBinding.of(PLUGIN, CsiEndpoint.of(places.socket())),
              InstanceId.ONLY,
              EnumSet.of(PluginRole.CONTROLLER)));
      LocalStore claims = LocalStore.open(places.claims());
      JournalStateStore state =
          JournalStateStore.open(places.volumes(), JournalSettings.defaults());
      RecordStore halting = main.halting(claims);
      VolumeController controller =
          VolumeController.builder(plugins, main.haltingVolumes(LocalStore.on(state)))
              .claims(halting)
              .open();
      Clock clock = Clock.systemUTC();
      ClaimBook book = new ClaimBook(halting, clock).asking(controller::whyNotClaimed);
      ClaimCoordinator coordinator =
          new ClaimCoordinator(book, controller.attachments(), clock, ClaimEvent.Listener.none());
      return new Open(
          claims, state, controller, book, coordinator, new JobVolumes(controller, coordinator));
    }

    @Override
    public void close() {
      controller.close();
      state.close();
      claims.close();
    }
  }

  /** Opens all, with the places as they are given. */
  public static void main(String[] words) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    JobMain main = new JobMain(out);
    ClaimMain.Places places =
        new ClaimMain.Places(Path.of(words[0]), Path.of(words[1]), Path.of(words[2]));
    try (Open open = Open.at(places, main)) {
      out.println("opened");
      main.obey(open.volumes, NodeId.of(words[3]));
    }
  }

  private void obey(JobVolumes volumes, NodeId node) throws IOException {
    BufferedReader orders =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    long epoch = 0;
    for (String order = orders.readLine(); order != null; order = orders.readLine()) {
      try {
        switch (order.split(" ", -1)[0]) {
          case "arm" -> left = Integer.parseInt(order.substring("arm #".length()));
          case "acquire", "retain" -> {
            epoch = volumes.acquire(spec(order.equals("retain")), wish(USE, node)).grant().epoch();
            out.println("granted " + epoch);
          }
          case "release" -> out.println(volumes.release(USE).volume());
          case "receipt" -> out.println(volumes.confirmRelease(receipt(USE, epoch)).volume());
          default -> throw new IllegalArgumentException(order);
        }
      } catch (OperatorException failed) {
        out.println("failed " + failed.getMessage());
      }
    }
  }

  private void moment(String what) {
    if (--left == 0) {
      out.println("parked " + what);
      while (true) {
        LockSupport.park(this);
      }
    }
  }

  private <T> T write(String what, Supplier<T> write) {
    moment("before " + what);
    T result = write.get();
    moment("after " + what);
    return result;
  }

  private RecordStore haltingVolumes(RecordStore store) {
    return new SteppingStore(
        store, (next, write) -> write("volume " + next.map(JobMain::words).orElse("gone"), write));
  }

  private static String words(CatalogRecord record) {
    String state = record.entry().state().getClass().getSimpleName();
    return record.work(CatalogWork.VOLUME).map(work -> state + " " + work.kind()).orElse(state);
  }

  private RecordStore halting(RecordStore store) {
    return new PassingStore(store) {

      @Override
      public WriteResult write(List<RecordWrite> writes) {
        Claim next = StoredClaims.next(writes.get(0));
        String to =
            next.holders().values().stream()
                .findFirst()
                .map(
                    holder ->
                        holder.workload().equals(USE.workload())
                            ? holder.state() + " " + holder.attachment().getClass().getSimpleName()
                            : "held for deletion")
                .orElse("nothing");
        return JobMain.this.write("claim " + to, () -> super.write(writes));
      }
    };
  }
}
