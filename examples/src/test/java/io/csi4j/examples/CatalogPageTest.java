package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.store.local.MemoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Holds docs/catalog.md to what really compiles, runs and is there. */
class CatalogPageTest {

  @Test
  void theControllerMakesAVolumeAndLeavesNothing() {
    PluginRegistry plugins = InMemoryPluginRegistry.open();
    try (FakeCsiPlugin storage = FakeCsiPlugin.builder().effects(NodeEffects.none()).open();
        MemoryStore store = new MemoryStore()) {
      PluginId id = PluginId.of("fake");
      plugins.register(PluginRegistration.controller(PluginBinding.of(id, storage.endpoint())));
      CatalogSnippets.controller(
          plugins,
          store,
          VolumeSpec.builder(id)
              .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
              .build());
      assertThat(storage.journal().operations())
          .contains(
              CsiOperation.CREATE_VOLUME,
              CsiOperation.CREATE_SNAPSHOT,
              CsiOperation.DELETE_SNAPSHOT,
              CsiOperation.CONTROLLER_EXPAND_VOLUME,
              CsiOperation.DELETE_VOLUME);
      assertThat(storage.contents().empty()).isTrue();
      storage.assertLawful();
    }
  }

  @Test
  void everyProgressOfAChangeHasARow() throws IOException {
    String page = Files.readString(Page.ROOT.resolve("docs/catalog.md"));

    assertThat(Arrays.stream(VolumeChange.Progress.values()).map(Enum::name))
        .allSatisfy(name -> assertThat(page).contains("\n| `" + name + "`"));
  }
}
