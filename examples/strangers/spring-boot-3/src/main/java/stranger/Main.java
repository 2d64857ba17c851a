package stranger;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.mount.MemoryKernel;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClient;

/** A host with an HTTP server. A request to the server makes the host use a volume. */
@SpringBootApplication
@RestController
public class Main {

  private static final PluginId PLUGIN = PluginId.of("fake.csi4j.example");
  private static final AccessMode MODE = AccessMode.SINGLE_NODE_WRITER;

  private final FakeCsiPlugin fake;
  private final VolumeManager manager;

  public Main(FakeCsiPlugin fake, VolumeManager manager) {
    this.fake = fake;
    this.manager = manager;
  }

  public static void main(String[] args) {
    SpringApplication.run(
            Main.class,
            "--server.port=0",
            "--spring.main.banner-mode=off",
            "--logging.level.root=warn",
            "--volumes=" + args[0])
        .close();
    System.out.println("closed");
  }

  /** Writes to a volume, as a workload does, and releases the volume. */
  @GetMapping("/volumes/{name}")
  public String hello(@PathVariable("name") String name) throws Exception {
    Volume created;
    try (CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
      created =
          plugin
              .controller()
              .createVolume(
                  CreateVolumeRequest.builder(name, List.of(VolumeCapability.mount(MODE))).build());
    }
    VolumeUse usage = VolumeUse.of(VolumeKey.of(name), WorkloadId.of("web-1"));
    Path volume =
        manager
            .mount(
                MountRequest.builder(PLUGIN, usage, created.id(), MODE)
                    .volumeContext(created.context())
                    .build())
            .path();
    Path file = Files.writeString(volume.resolve("hello.txt"), "hello from web-1");
    String read = Files.readString(file);
    Files.delete(file);
    return read + "\ngiven back: " + manager.unmount(usage);
  }

  @Bean
  static CommandLineRunner asking(Environment environment, FakeCsiPlugin fake) {
    return args -> {
      String address = "http://localhost:" + environment.getProperty("local.server.port");
      System.out.println(
          WebClient.create(address)
              .get()
              .uri("/volumes/db-1")
              .retrieve()
              .bodyToMono(String.class)
              .block());
      fake.assertLawful();
      System.out.println("in use after all: " + !fake.contents().idle());
    };
  }

  /**
   * The fakes of this example. A real host has a plugin that listens on a socket, and the mounts of
   * the kernel.
   */
  @Configuration
  static class Machine {

    @Bean
    MemoryKernel kernel() {
      return new MemoryKernel();
    }

    @Bean(destroyMethod = "close")
    FakeCsiPlugin fake(MemoryKernel kernel) {
      return FakeCsiPlugin.builder()
          .shape(PluginShape.noAttach())
          .effects(NodeEffects.filesMountedIn(kernel.host()))
          .open();
    }

    @Bean(destroyMethod = "close")
    VolumeManager manager(
        MemoryKernel kernel, FakeCsiPlugin fake, @Value("${volumes}") Path directory) {
      return VolumeManager.builder(directory)
          .mounts(kernel.table(), kernel.mounts())
          .plugin(PluginBinding.of(PLUGIN, fake.endpoint()))
          .open();
    }
  }
}
