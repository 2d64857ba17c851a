package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.mount.MemoryKernel;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.MountFlagPolicy;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumePermission;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.NodeClaims;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Holds docs/volumes.md to what compiles and runs, and its tables to the settings that there are
 * and to their defaults.
 */
class VolumesPageTest {

  private static final Page PAGE = Page.of("docs/volumes.md", "VolumesSnippets.java");

  private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-z]\\w+)` \\| ([^|]+) \\|");

  @Test
  void aVolumeIsMountedForAWorkloadAndReleased(@TempDir Path directory) {
    List<Object> seen = new ArrayList<>();
    try (FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.noAttach())) {
      fake.addVolume(VolumeId.of("vol-1"));
      PluginBinding binding =
          PluginBinding.builder(PluginId.of("fake.csi4j.example"), fake.nodeEndpoint())
              // The plugin makes directories only, so that everybody may run this.
              .policy(MountPolicy.builder().requireMount(false).build())
              .build();

      VolumesSnippets.wiring(directory.resolve("v"), binding, List.of(), seen::add);

      assertThat(seen).hasSize(4).last().isEqualTo(UnmountOutcome.LAST);
      assertThat(seen.get(2).toString()).startsWith(directory.resolve("v").toString());
      fake.assertLawful();
    }
  }

  @Test
  void whatIsMountedGetsItsNextTokenAtItsPlace(@TempDir Path directory) {
    MemoryKernel kernel = new MemoryKernel();
    PluginId plugin = PluginId.of("fake.csi4j.example");
    VolumeId volume = VolumeId.of("vol-1");
    VolumeUse use = VolumeUse.of(VolumeKey.of("data"), WorkloadId.of("web-1"));
    MountRequest request =
        MountRequest.builder(plugin, use, volume, AccessMode.SINGLE_NODE_WRITER)
            .volumeContext(VolumeContext.of(Map.of("token", "first")))
            .build();
    try (FakeCsiPlugin fake =
            FakeCsiPlugin.builder()
                .shape(PluginShape.nodeOnly())
                .effects(NodeEffects.filesMountedIn(kernel.host()))
                .open();
        VolumeManager manager =
            VolumeManager.builder(directory.resolve("v"))
                .mounts(kernel.table(), kernel.mounts())
                .plugin(VolumesSnippets.rounds(plugin, fake.nodeEndpoint()))
                .open()) {
      fake.addVolume(volume, CapacityRange.exactly(1L << 30), request.volumeContext());
      MountedVolume mounted = manager.mount(request);
      fake.addVolume(
          volume, CapacityRange.exactly(1L << 30), VolumeContext.of(Map.of("token", "second")));

      assertThat(VolumesSnippets.refresh(manager, request, "second")).isEqualTo(mounted);

      assertThat(
              fake.journal().calls(volume).stream()
                  .filter(call -> call.operation() == CsiOperation.NODE_PUBLISH_VOLUME))
          .hasSize(2);
      assertThatThrownBy(() -> VolumesSnippets.refresh(manager, request, "third"))
          .isInstanceOfSatisfying(
              VolumeException.class,
              failure -> assertThat(failure.code()).isEqualTo(OperatorCode.REFRESH_REFUSED));
      assertThat(manager.hasMount(use)).isTrue();
      assertThat(manager.unmount(use)).isEqualTo(UnmountOutcome.LAST);
      fake.assertLawful();
    }
  }

  @Test
  void thePictureHasEveryStateThatAPathHasOnRecord() throws IOException {
    String picture = PAGE.blocks("mermaid").get(0).group(3);
    assertThat(
            picture
                .lines()
                .skip(1)
                .map(arrow -> PathStatus.valueOf(arrow.strip().replaceFirst(" .*", "")))
                .distinct())
        .containsExactlyInAnyOrderElementsOf(EnumSet.complementOf(EnumSet.of(PathStatus.DEAD)));
  }

  @Test
  void theTablesHaveEverySettingWithItsDefault() throws Exception {
    Map<String, String> real = new LinkedHashMap<>();
    for (Object defaults : List.of(ManagerSettings.defaults(), MountPolicy.defaults())) {
      ValueParts.of(defaults).forEach((name, value) -> real.put(name, text(value)));
    }
    assertThat(shown(false)).containsExactlyEntriesOf(real);
  }

  @Test
  void theTableOfClaimsHasEverySettingWithItsDefault() throws Exception {
    NodeClaims defaults =
        NodeClaims.of(NodeName.of("n1"), (usage, epoch) -> new ClaimStanding.Current());
    Map<String, String> real = new LinkedHashMap<>();
    ValueParts.of(defaults)
        .forEach(
            (name, value) -> {
              if (value != defaults.node() && value != defaults.confirmation()) {
                real.put(name, value.equals(Optional.empty()) ? "never" : text(value));
              }
            });
    assertThat(shown(true)).containsExactlyEntriesOf(real);
  }

  /** What the page has in its section on claims, or before it. */
  private static Map<String, String> shown(boolean ofClaims) throws IOException {
    Map<String, String> shown = new LinkedHashMap<>();
    String page = Files.readString(Page.ROOT.resolve("docs/volumes.md"));
    int claims = page.indexOf("\n## Claims\n");
    String part = ofClaims ? page.substring(claims) : page.substring(0, claims);
    ROW.matcher(part).results().forEach(row -> shown.put(row.group(1), row.group(2)));
    return shown;
  }

  private static String text(Object value) {
    if (value instanceof Duration time) {
      return Stream.of(Map.entry(60_000, " min"), Map.entry(1000, " s"), Map.entry(1, " ms"))
          .filter(unit -> time.toMillis() % unit.getKey() == 0)
          .map(unit -> time.toMillis() / unit.getKey() + unit.getValue())
          .findFirst()
          .orElseThrow();
    }
    if (value instanceof Boolean is) {
      return is ? "yes" : "no";
    }
    if (value instanceof VolumePermission || value instanceof MountFlagPolicy) {
      return value.toString();
    }
    if (value instanceof Enum<?> word) {
      return "`" + word.name() + "`";
    }
    return String.format(Locale.ROOT, "%,d", (Integer) value).replace(',', ' ');
  }
}
