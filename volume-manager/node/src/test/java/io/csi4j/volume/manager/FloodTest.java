package io.csi4j.volume.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.mount.MemoryKernel;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Plugins that flood their manager, which has 128 MiB of heap: the mounts of a healthy plugin of
 * the same manager go on.
 */
@Tag("campaign")
@PlayedInShares
class FloodTest {

  private static final int FLOODING = 4;
  private static final Pattern TIMES =
      Pattern.compile("alone (\\d+) us, beside floods (\\d+) us, (\\d+) refused");

  @TempDir private Path directory;

  /** Greets like a plugin, then asks for acknowledgements without end and reads nothing. */
  private static final class Flooding implements AutoCloseable {
    private static final byte[] SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0};
    private static final byte[] PING = {0, 0, 8, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

    private final ServerSocketChannel server;
    private final AtomicInteger floods = new AtomicInteger();

    Flooding(Path socket, byte[] frame) throws IOException {
      server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      server.bind(UnixDomainSocketAddress.of(socket));
      ByteBuffer many = ByteBuffer.allocate(frame.length * 1_000);
      while (many.hasRemaining()) {
        many.put(frame);
      }
      Thread thread = new Thread(() -> serve(many), "flooding");
      thread.setDaemon(true);
      thread.start();
    }

    private void serve(ByteBuffer many) {
      while (server.isOpen()) {
        try (SocketChannel client = server.accept()) {
          client.write(ByteBuffer.wrap(SETTINGS));
          while (true) {
            client.write(many.rewind());
          }
        } catch (IOException cutOff) {
          floods.incrementAndGet();
        }
      }
    }

    @Override
    public void close() throws IOException {
      server.close();
    }
  }

  @Test
  @DisplayName("hostile input 49: a flood takes neither the manager nor the other plugins along")
  void theMountsOfAHealthyPluginGoOnWithinTwiceTheirTime() throws Exception {
    List<Flooding> plugins = new ArrayList<>();
    try {
      for (int i = 0; i < FLOODING; i++) {
        Path socket = directory.resolve("flood" + i + ".sock");
        plugins.add(new Flooding(socket, i % 2 == 0 ? Flooding.PING : Flooding.SETTINGS));
      }
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx128m",
                  "-XX:MaxDirectMemorySize=64m",
                  "-cp",
                  System.getProperty(
                      "surefire.test.class.path", System.getProperty("java.class.path")),
                  Managing.class.getName(),
                  directory.toString())
              .redirectErrorStream(true)
              .start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(said).isZero();

      Matcher times = TIMES.matcher(said);
      assertThat(times.find()).as(said).isTrue();
      assertThat(plugins).as(said).allSatisfy(each -> assertThat(each.floods).hasPositiveValue());
      assertThat(Long.parseLong(times.group(2)))
          .as(said)
          .isLessThan(2 * Long.parseLong(times.group(1)));
      assertThat(Integer.parseInt(times.group(3))).as(said).isGreaterThanOrEqualTo(FLOODING);
    } finally {
      for (Flooding each : plugins) {
        each.close();
      }
    }
  }

  /** The process with the small heap. */
  public static final class Managing {

    static final int MOUNTS = 200;
    private static final VolumeId VOLUME = VolumeId.of("vol-1");

    private Managing() {}

    /** Mounts volumes of a healthy plugin, alone and beside those that flood. */
    public static void main(String[] args) {
      Logger.getLogger("").setLevel(Level.OFF);
      Path directory = Path.of(args[0]);
      MemoryKernel kernel = new MemoryKernel();
      FakeCsiPlugin fake =
          FakeCsiPlugin.builder()
              .shape(PluginShape.nodeOnly())
              .effects(NodeEffects.filesMountedIn(kernel.host()))
              .open();
      fake.addVolume(VOLUME);
      PluginId healthy = PluginId.of("fake.csi4j.example");
      VolumeManager manager =
          VolumeManager.builder(directory.resolve("v"))
              .mounts(kernel.table(), kernel.mounts())
              .plugin(PluginBinding.of(healthy, fake.nodeEndpoint()))
              .open();
      long unused = median(manager, healthy, MOUNTS / 2);
      long alone = median(manager, healthy, MOUNTS);
      AtomicInteger refused = new AtomicInteger();
      for (int i = 0; i < FLOODING; i++) {
        PluginId plugin = PluginId.of("flood" + i + ".csi4j.example");
        manager.register(
            PluginBinding.of(plugin, CsiEndpoint.of(directory.resolve("flood" + i + ".sock"))));
        Thread thread = new Thread(() -> mountForEver(manager, plugin, refused), "host-" + i);
        thread.setDaemon(true);
        thread.start();
      }
      while (refused.get() < FLOODING) {
        LockSupport.parkNanos(100_000);
      }
      long beside = median(manager, healthy, MOUNTS);
      System.out.println(
          "alone "
              + alone / 1_000
              + " us, beside floods "
              + beside / 1_000
              + " us, "
              + refused
              + " refused, "
              + unused / 1_000
              + " us while warming up");
      Runtime.getRuntime().halt(0);
    }

    private static void mountForEver(
        VolumeManager manager, PluginId plugin, AtomicInteger refused) {
      VolumeUse use = VolumeUse.of(VolumeKey.of(plugin.value()), WorkloadId.of("w"));
      while (true) {
        try {
          manager.mount(
              MountRequest.builder(plugin, use, VOLUME, AccessMode.SINGLE_NODE_WRITER).build());
          throw new AssertionError("a plugin that floods has mounted something");
        } catch (VolumeException expected) {
          refused.incrementAndGet();
        }
      }
    }

    private static long median(VolumeManager manager, PluginId plugin, int mounts) {
      VolumeUse use = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("w"));
      MountRequest request =
          MountRequest.builder(plugin, use, VOLUME, AccessMode.SINGLE_NODE_WRITER).build();
      long[] times = new long[mounts];
      for (int i = 0; i < mounts; i++) {
        long began = System.nanoTime();
        var mounted = manager.mount(request);
        manager.unmount(use);
        times[i] = System.nanoTime() - began;
        if (mounted == null) {
          throw new AssertionError("no mount");
        }
      }
      Arrays.sort(times);
      return times[mounts / 2];
    }
  }
}
