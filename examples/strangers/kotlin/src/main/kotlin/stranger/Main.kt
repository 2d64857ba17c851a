package stranger

import io.csi4j.client.CsiPlugin
import io.csi4j.client.controller.CreateVolumeRequest
import io.csi4j.client.model.AccessMode
import io.csi4j.client.model.VolumeCapability
import io.csi4j.testkit.FakeCsiPlugin
import io.csi4j.testkit.effects.NodeEffects
import io.csi4j.testkit.model.PluginShape
import io.csi4j.testkit.mount.MemoryKernel
import io.csi4j.volume.manager.VolumeManager
import io.csi4j.volume.model.PluginBinding
import io.csi4j.volume.model.PluginId
import io.csi4j.volume.model.VolumeException
import io.csi4j.volume.model.VolumeKey
import io.csi4j.volume.model.VolumeUse
import io.csi4j.volume.model.WorkloadId
import io.csi4j.volume.node.MountRequest
import java.nio.file.Path
import kotlin.io.path.deleteExisting
import kotlin.io.path.readText
import kotlin.io.path.writeText

/** Mounts a volume of the fake plugin for a workload, which writes to it, and gives it back. */
fun main(args: Array<String>) {
  val kernel = MemoryKernel()
  FakeCsiPlugin.builder()
      .shape(PluginShape.noAttach())
      .effects(NodeEffects.filesMountedIn(kernel.host()))
      .open()
      .use { fake ->
        val mode = AccessMode.SINGLE_NODE_WRITER
        val created =
            CsiPlugin.connect(fake.endpoint()).use {
              it.controller()
                  .createVolume(
                      CreateVolumeRequest.builder("data", listOf(VolumeCapability.mount(mode)))
                          .build())
            }
        val plugin = PluginId.of("fake.csi4j.example")
        val usage = VolumeUse.of(VolumeKey.of("db-1"), WorkloadId.of("web-1"))
        try {
          VolumeManager.builder(Path.of(args[0]))
              .mounts(kernel.table(), kernel.mounts())
              .plugin(PluginBinding.of(plugin, fake.endpoint()))
              .open()
              .use { manager ->
                val mounted =
                    manager.mount(
                        MountRequest.builder(plugin, usage, created.id(), mode)
                            .volumeContext(created.context())
                            .build())
                val file = mounted.path().resolve("hello.txt")
                file.writeText("hello from web-1")
                println(file.readText())
                file.deleteExisting()
                println("given back: ${manager.unmount(usage)}")
              }
        } catch (failed: VolumeException) {
          println("${failed.outcome()} ${failed.message}")
        }
        fake.assertLawful()
        println("in use after all: ${!fake.contents().idle()}")
      }
}
