package io.csi4j.volume.internal.real;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.time.SystemClock;
import io.csi4j.volume.internal.time.SystemScheduler;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.node.ManagerSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A process that asks the plugin at a socket what it can do, and prints the answer. */
final class AskMain {

  private AskMain() {}

  public static void main(String[] args) {
    PluginId id = PluginId.of("asked");
    try (SystemScheduler scheduler = new SystemScheduler(1, "csi4j-volume", Duration.ofSeconds(5));
        CsiNodePlugins plugins =
            new CsiNodePlugins(
                MountPath.of("/manager"),
                scheduler,
                new SystemClock(),
                new RealDisk(),
                "",
                ManagerSettings.defaults().secretsLimit())) {
      plugins.register(PluginBinding.of(id, CsiEndpoint.of(Path.of(args[0]))));
      CompletableFuture<PluginAnswer> answer = new CompletableFuture<>();
      plugins.find(id).orElseThrow().facts(answer::complete);
      PluginAnswer told = Waits.on(answer);
      System.out.println(
          told instanceof PluginAnswer.Down down
              ? down.code() + " " + down.text()
              : told.toString());
    }
  }
}
