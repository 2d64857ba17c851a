package io.csi4j.volume.kill;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.NodeId;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.claim.spi.AttachmentTask;
import io.csi4j.volume.claim.spi.ControllerAnswer;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
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
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * The process that is killed on the way of a claim: a coordinator with its claims and volumes on
 * disk and a plugin at a socket. It does what it reads, a line each, and says what came of it. It
 * can be told to stand still after the nth thing that it changed, before it knows that it did.
 */
final class ClaimMain {

  static final PluginId PLUGIN = PluginId.of("fake");
  static final VolumeUse USE = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web"));
  static final NodeName NODE = NodeName.of("n1");

  private final PrintStream out;
  private int left;

  private ClaimMain(PrintStream out) {
    this.out = out;
  }

  /** Where everything is: the claims, the volumes, the socket. */
  record Places(Path claims, Path volumes, Path socket) {

    /** What a process is started with. */
    List<String> words() {
      return List.of(claims.toString(), volumes.toString(), socket.toString());
    }
  }

  /** What a process has open. */
  record Open(LocalStore claims, JournalStateStore volumes, VolumeController controller)
      implements AutoCloseable {

    static Open at(Places places) {
      PluginRegistry plugins = InMemoryPluginRegistry.open();
      plugins.register(
          PluginRegistration.controller(PluginBinding.of(PLUGIN, CsiEndpoint.of(places.socket))));
      LocalStore claims = LocalStore.open(places.claims);
      JournalStateStore volumes =
          JournalStateStore.open(places.volumes, JournalSettings.defaults());
      return new Open(
          claims,
          volumes,
          VolumeController.builder(plugins, LocalStore.on(volumes)).claims(claims).open());
    }

    ClaimCoordinator coordinator() {
      return coordinator(claims, controller.attachments());
    }

    static ClaimCoordinator coordinator(RecordStore claims, StorageController storage) {
      Clock clock = Clock.systemUTC();
      return new ClaimCoordinator(
          new ClaimBook(claims, clock), storage, clock, ClaimEvent.Listener.none());
    }

    @Override
    public void close() {
      controller.close();
      volumes.close();
      claims.close();
    }
  }

  /** What is wanted of the node that has this id. */
  static ClaimRequest wish(NodeId node) {
    return ClaimRequest.builder(
            USE,
            NODE,
            new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .nodeId(node)
        .build();
  }

  /** What the node says when it has nothing mounted. */
  static NodeReceipt receipt(long epoch) {
    return new NodeReceipt(
        USE, epoch, NODE, "boot", List.of(Path.of("/targets")), NodeReceipt.Staging.GONE);
  }

  /** Opens all, with the places as they are given. */
  public static void main(String[] words) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    Places places = new Places(Path.of(words[0]), Path.of(words[1]), Path.of(words[2]));
    try (Open open = Open.at(places)) {
      out.println("opened");
      ClaimMain main = new ClaimMain(out);
      main.obey(
          Open.coordinator(main.halting(open.claims), main.halting(open.controller.attachments())),
          NodeId.of(words[3]));
    }
  }

  private void obey(ClaimCoordinator claims, NodeId node) throws IOException {
    BufferedReader orders =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    long epoch = 0;
    for (String order = orders.readLine(); order != null; order = orders.readLine()) {
      try {
        switch (order.split(" ", -1)[0]) {
          case "arm" -> left = Integer.parseInt(order.substring("arm #".length()));
          case "acquire" -> {
            ClaimGrant grant = claims.acquire(wish(node));
            epoch = grant.epoch();
            out.println("granted " + epoch);
          }
          case "release" -> out.println(told(claims.release(USE)));
          case "receipt" -> out.println(told(claims.confirmRelease(receipt(epoch))));
          default -> throw new IllegalArgumentException(order);
        }
      } catch (ClaimException failed) {
        out.println("failed " + failed.getMessage());
      }
    }
  }

  private static String told(ClaimProgress progress) {
    return progress.getClass().getSimpleName();
  }

  /** Makes a change, and stands still if it is the one after which it shall. */
  private <T> T change(String what, Supplier<T> change) {
    T result = change.get();
    if (--left == 0) {
      out.println("parked " + what);
      while (true) {
        LockSupport.park(this);
      }
    }
    return result;
  }

  private StorageController halting(StorageController storage) {
    return new StorageController() {
      @Override
      public boolean attaches(VolumeKey volume) {
        return storage.attaches(volume);
      }

      @Override
      public ControllerAnswer attach(AttachmentTask task, Guard guard) {
        return change("attach", () -> storage.attach(task, guard));
      }

      @Override
      public ControllerAnswer detach(AttachmentTask task, Guard guard) {
        return change("detach", () -> storage.detach(task, guard));
      }
    };
  }

  private RecordStore halting(RecordStore store) {
    return new PassingStore(store) {

      @Override
      public WriteResult write(List<RecordWrite> writes) {
        Claim next = StoredClaims.next(writes.get(0));
        String to =
            next.holder(USE.workload())
                .map(
                    holder -> holder.state() + " " + holder.attachment().getClass().getSimpleName())
                .orElse("nothing");
        return change("writing " + to, () -> super.write(writes));
      }
    };
  }
}
