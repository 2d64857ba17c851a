package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.PluginPath;
import io.csi4j.mount.real.Eventually;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.launch.ProcessPluginLauncher;
import io.csi4j.volume.plugin.launch.PropagationCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds docs/plugins.md to what really compiles, runs and is there. */
class PluginsPageTest {

  private static final Pattern SETTING =
      Pattern.compile("(?m)^\\| `([a-z]\\w+)` \\| ([\\d ]+(?: s| min)?) \\|");

  @TempDir Path directory;
  private final Queue<Object> told = new ConcurrentLinkedQueue<>();

  private PluginConfig config() {
    return PluginConfig.builder("disk.csi.example", directory.resolve("csi"))
        .volumeRoot(directory.resolve("volumes"))
        .build();
  }

  // ---- the page

  @Test
  void theTablesHaveEverySettingWithItsDefault() throws Exception {
    PluginConfig plugin = config();
    Map<String, String> real = new LinkedHashMap<>();
    ValueParts.of(ProcessPluginLauncher.Settings.defaults())
        .forEach((name, value) -> real.put(name, text(value)));
    real.put("healthTimeout", text(plugin.healthTimeout()));
    real.put("startInterval", text(plugin.startInterval()));
    real.put("probeInterval", text(plugin.probeInterval()));
    real.put("infoInterval", text(plugin.infoInterval()));
    real.put("probeLimit", text(plugin.probeLimit()));
    real.put("failuresToUnhealthy", text(plugin.failuresToUnhealthy()));
    real.put("answersToReady", text(plugin.answersToReady()));

    Map<String, String> shown = new LinkedHashMap<>();
    SETTING.matcher(page()).results().forEach(row -> shown.put(row.group(1), row.group(2).strip()));
    assertThat(shown).containsExactlyEntriesOf(real);
  }

  @Test
  void everyEventStateReasonAndVerdictHasARow() throws IOException {
    Stream<String> events =
        Stream.of(ProcessPluginLauncher.Event.class, PluginEvent.class)
            .flatMap(type -> Arrays.stream(type.getPermittedSubclasses()))
            .map(Class::getSimpleName);
    Stream<String> words =
        Stream.of(
                PluginHealth.State.values(),
                PluginHealth.Reason.values(),
                PropagationCheck.Verdict.values())
            .flatMap(Arrays::stream)
            .map(Enum::name);
    String page = page();

    assertThat(Stream.concat(events, words))
        .hasSizeGreaterThan(20)
        .allSatisfy(name -> assertThat(page).contains("\n| `" + name + "`"));
  }

  private static String page() throws IOException {
    return Files.readString(Page.ROOT.resolve("docs/plugins.md"));
  }

  private static String text(Object value) {
    if (value instanceof Duration time) {
      return time.toSeconds() % 60 == 0 ? time.toMinutes() + " min" : time.toSeconds() + " s";
    }
    return String.format(Locale.ROOT, "%,d", (Integer) value).replace(',', ' ');
  }

  // ---- the code

  @Test
  void aPluginIsStartedWatchedOverUsedAndStopped() throws Exception {
    List<String> command = MortalPlugin.command(directory.resolve("data"));
    Path volumes = Files.createDirectory(directory.resolve("volumes"));

    PluginsSnippets.wiring(
        volumes,
        directory.resolve("csi"),
        command,
        told::add,
        () -> Eventually.isTrue("it is ready", () -> told.stream().anyMatch(this::isReady)));

    assertThat(told.stream().map(Object::toString))
        .contains("listens at unix://" + directory.resolve("csi/csi.sock"));
    assertThat(told.stream().filter(ProcessPluginLauncher.Event.class::isInstance))
        .hasExactlyElementsOfTypes(
            ProcessPluginLauncher.Event.Started.class, ProcessPluginLauncher.Event.Ended.class);
    assertThat(told.stream().filter(PluginEvent.class::isInstance))
        .hasAtLeastOneElementOfType(PluginEvent.Fingerprinted.class)
        .hasAtLeastOneElementOfType(PluginEvent.Deregistered.class);
  }

  @Test
  void aPluginThatIsNotThereIsWaitedForWithABound() {
    PluginConfig hasty =
        PluginConfig.builder("disk.csi.example", directory.resolve("csi"))
            .volumeRoot(directory.resolve("volumes"))
            .healthTimeout(Duration.ofMillis(50))
            .build();
    try (VolumeManager manager = VolumeManager.open(directory)) {
      assertThatThrownBy(() -> PluginsSnippets.waiting(manager, hasty))
          .hasMessageContaining("disk.csi.example");
      PluginsSnippets.stopping(manager, hasty.id(), () -> told.add("stopped"), told::add);
      PluginsSnippets.timeout(manager, null, told::add).close();
    }
    assertThat(told).containsExactly("stopped");
  }

  @Test
  void aContainerIsToldAllThatThePlanSays() {
    PluginConfig contained =
        PluginConfig.builder("disk.csi.example", directory.resolve("csi"))
            .volumeRoot(directory.resolve("volumes"))
            .seesSocketDirectoryAt(PluginPath.of("/csi"))
            .seesVolumeRootAt(PluginPath.of("/csi-data"))
            .build();
    List<String> arguments = new ArrayList<>();

    PluginsSnippets.container(contained, Map.of("LOG_LEVEL", "5"), arguments::add);

    assertThat(arguments)
        .containsExactlyInAnyOrder(
            "-v " + directory.resolve("csi") + ":/csi:rprivate",
            "-v " + directory.resolve("volumes") + ":/csi-data:rshared",
            "-v /dev:/dev:rprivate",
            "-e CSI_ENDPOINT=unix:///csi/csi.sock",
            "-e LOG_LEVEL=5",
            "--cap-add CAP_SYS_ADMIN");
  }

  @Test
  void aPluginInThisNamespaceHasNoTroubleWithPropagation() {
    PluginConfig controller =
        PluginConfig.builder("disk.csi.example", directory.resolve("csi"))
            .roles(Set.of(PluginRole.CONTROLLER))
            .build();
    PluginsSnippets.propagation(controller, ProcessHandle.current().pid(), told::add);
    assertThat(told).isEmpty();
    assertThat(PropagationCheck.plugin(config(), ProcessHandle.current().pid()).verdict())
        .isEqualTo(PropagationCheck.Verdict.SAME_MOUNT);
  }

  private boolean isReady(Object event) {
    return event instanceof PluginEvent.HealthChanged changed && changed.now().isReady();
  }
}
