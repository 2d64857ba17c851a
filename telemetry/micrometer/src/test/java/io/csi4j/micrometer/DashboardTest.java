package io.csi4j.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.csi4j.mount.real.Eventually;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard, and the table of the page, held against what Prometheus is given. */
class DashboardTest {

  private static final Path ROOT = Path.of(System.getProperty("csi4j.root", "../.."));

  private static final Pattern SERIES = Pattern.compile("(?m)^(csi4j_\\w+)(?:\\{([^}]*)})? \\S+$");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"[^\"]*\"");

  private static final Pattern METRIC = Pattern.compile("(csi4j_\\w+)(?:\\{([^}]*)})?");
  private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*(?:=~|!=|!~|=)");
  private static final Pattern BY = Pattern.compile("\\bby \\(([^)]*)\\)");
  private static final Pattern LEGEND = Pattern.compile("\\{\\{(\\w+)}}");

  /** The label that Prometheus adds for the scraped process, which is the node. */
  private static final String NODE = "instance";

  private static final Set<String> PALETTE =
      Set.of(
          "#01a37d", "#e02f1f", "#f7941d", "#f3c40c", "#57c4fa", "#2257ee", "#9786ec", "#d502b8",
          "#6a6a6a");

  @TempDir Path directory;

  @Test
  void theDashboardShowsEveryMetricWithItsLabelsAndNoOther() throws Exception {
    Map<String, Set<String>> scraped = scraped(scrape());
    Map<String, Set<String>> shown = new TreeMap<>();
    for (Target target : targets()) {
      shown(target).forEach((metric, labels) -> shown.merge(metric, labels, DashboardTest::both));
    }

    assertThat(shown).containsExactlyInAnyOrderEntriesOf(scraped);
  }

  @Test
  void everyMeterIsScraped() throws Exception {
    Set<String> names = scraped(scrape()).keySet();
    for (CsiMeter meter : CsiMeter.values()) {
      String name = meter.id().replace('.', '_');
      Set<String> expected =
          switch (meter.type()) {
            case TIMER ->
                Set.of(
                    name + "_seconds_count",
                    name + "_seconds_sum",
                    name + "_seconds_max",
                    name + "_seconds_bucket");
            case COUNTER -> Set.of(name + "_total");
            default -> Set.of(name);
          };
      assertThat(names).as(meter.id()).containsAll(expected);
    }
  }

  @Test
  void aMetricAndALabelThatAreNotThereWouldBeFound() throws Exception {
    Target wrong =
        new Target("sum by (le, volume) (rate(csi4j_gone_total{path=~\"x\"}[1m]))", "{{workload}}");

    assertThat(shown(wrong))
        .containsOnly(Map.entry("csi4j_gone_total", Set.of("le", "volume", "path", "workload")));
    assertThat(scraped("# HELP csi4j_x what\ncsi4j_x{a=\"1\",b=\"2\"} 1.0\ncsi4j_y 0.0\n"))
        .containsOnly(Map.entry("csi4j_x", Set.of("a", "b")), Map.entry("csi4j_y", Set.of()));
  }

  @Test
  void theIdsAndPlacesOfPanelsAreTheirOwn() throws Exception {
    List<Integer> ids = new ArrayList<>();
    List<String> places = new ArrayList<>();
    for (JsonElement panel : dashboard().getAsJsonArray("panels")) {
      ids.add(panel.getAsJsonObject().get("id").getAsInt());
      JsonObject place = panel.getAsJsonObject().getAsJsonObject("gridPos");
      places.add(place.get("x") + " " + place.get("y"));
      assertThat(place.get("x").getAsInt() + place.get("w").getAsInt()).isLessThanOrEqualTo(24);
    }
    assertThat(ids).doesNotHaveDuplicates().hasSizeGreaterThan(20);
    assertThat(places).doesNotHaveDuplicates();
  }

  @Test
  void theSameThingHasTheSameColourInAllPanelsAndNoTwoOfAPanelShareOne() throws IOException {
    Map<String, String> colours = new TreeMap<>();
    for (JsonElement panel : dashboard().getAsJsonArray("panels")) {
      Map<String, String> own = coloured(panel.getAsJsonObject());
      assertThat(own.values()).as(panel.toString()).doesNotHaveDuplicates();
      own.forEach(
          (name, colour) ->
              assertThat(colours.merge(name, colour, (one, other) -> one))
                  .as(name)
                  .isEqualTo(colour));
    }
    assertThat(colours.values()).hasSameElementsAs(PALETTE);
    assertThat(colours).containsEntry("ready", "#01a37d").containsEntry("unhealthy", "#e02f1f");
    assertThat(colours).containsEntry("mount", "#2257ee").containsEntry("unmount", "#f7941d");
  }

  /** The fixed colours of a panel, by the series. */
  private static Map<String, String> coloured(JsonObject panel) {
    Map<String, String> colours = new TreeMap<>();
    if (!panel.has("fieldConfig")) {
      return colours;
    }
    for (JsonElement override :
        panel.getAsJsonObject("fieldConfig").getAsJsonArray("overrides").asList()) {
      String name =
          override.getAsJsonObject().getAsJsonObject("matcher").get("options").getAsString();
      for (JsonElement property : override.getAsJsonObject().getAsJsonArray("properties")) {
        JsonElement value = property.getAsJsonObject().get("value");
        if (property.getAsJsonObject().get("id").getAsString().equals("color")
            && value.getAsJsonObject().get("mode").getAsString().equals("fixed")) {
          colours.put(
              name.replaceAll("^/\\^|,/$", ""),
              value.getAsJsonObject().get("fixedColor").getAsString());
        }
      }
    }
    return colours;
  }

  @Test
  void theFirstPanelNamesTheVolumesAndLinksTheirCodes() throws IOException {
    JsonObject table = dashboard().getAsJsonArray("panels").get(1).getAsJsonObject();

    assertThat(table.get("type").getAsString()).isEqualTo("table");
    assertThat(table.getAsJsonArray("targets").get(0).toString()).contains("csi4j_volume_trouble{");
    assertThat(table.toString()).contains("${codes}#:~:text=${__value.raw}");
    String home =
        Pattern.compile("<project.home>(.*)</project.home>")
            .matcher(Files.readString(ROOT.resolve("pom.xml")))
            .results()
            .findFirst()
            .orElseThrow()
            .group(1);
    assertThat(dashboard().getAsJsonObject("templating").toString())
        .contains("\"query\":\"" + home + "/blob/main/docs/operator-codes.md\"");
  }

  @Test
  void theTableOfThePageHasEveryMeter() throws IOException {
    String table =
        Arrays.stream(CsiMeter.values())
            .map(
                meter ->
                    "| `%s` | %s | %s | %s |\n"
                        .formatted(
                            meter.id(),
                            meter.type().name().toLowerCase(java.util.Locale.ROOT),
                            meter.tags().stream()
                                .map(tag -> "`" + tag + "`")
                                .collect(Collectors.joining(", ")),
                            meter.description()))
            .collect(Collectors.joining())
            .replace("|  |", "| |");
    String rows =
        Files.readString(ROOT.resolve("docs/metrics.md"))
            .lines()
            .filter(
                line ->
                    line.startsWith("| `csi4j.")
                        && line.matches(".*\\| (timer|gauge|counter) \\|.*"))
            .collect(Collectors.joining("\n", "", "\n"));

    assertThat(rows).isEqualTo(table);
  }

  // ---- what there is

  private String scrape() throws Exception {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try (CsiMetrics metrics = CsiMetrics.bindTo(registry);
        RealRun run = RealRun.in(directory, metrics);
        RealControlPlanes planes = new RealControlPlanes(metrics, metrics)) {
      assertThat(run.manager.volumes()).hasSize(1);
      planes.deleteInTheBackground();
      planes.delete();
      planes.takeOver();
      planes.leaveADeletion();
      Eventually.isTrue(
          "all is counted",
          () -> {
            String now = registry.scrape();
            return now.contains("operation=\"unmount\"")
                && now.contains("code=\"VOLUME_ABNORMAL\"")
                && now.contains("csi4j_plugin_health_changes_total")
                && now.contains("csi4j_controller_attempts_total")
                && now.contains("csi4j_volume_trouble{")
                && now.contains("csi4j_volumes_pending_age");
          });
      return registry.scrape();
    } finally {
      registry.close();
    }
  }

  /** The labels of each metric of ours. */
  private static Map<String, Set<String>> scraped(String text) {
    Map<String, Set<String>> metrics = new TreeMap<>();
    for (MatchResult series : SERIES.matcher(text).results().toList()) {
      Set<String> labels = new TreeSet<>();
      LABEL
          .matcher(Objects.requireNonNullElse(series.group(2), ""))
          .results()
          .forEach(label -> labels.add(label.group(1)));
      metrics.merge(series.group(1), labels, DashboardTest::both);
    }
    return metrics;
  }

  // ---- what is shown

  /**
   * A query of a panel.
   *
   * @param query the query
   * @param legend what its lines are called
   */
  private record Target(String query, String legend) {}

  private static JsonObject dashboard() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            CsiMetrics.class.getResourceAsStream("grafana-dashboard.json"), "the dashboard")) {
      return JsonParser.parseString(new String(in.readAllBytes(), StandardCharsets.UTF_8))
          .getAsJsonObject();
    }
  }

  private static List<Target> targets() throws IOException {
    List<Target> targets = new ArrayList<>();
    for (JsonElement panel : dashboard().getAsJsonArray("panels")) {
      if (panel.getAsJsonObject().has("targets")) {
        for (JsonElement target : panel.getAsJsonObject().getAsJsonArray("targets")) {
          targets.add(
              new Target(
                  target.getAsJsonObject().get("expr").getAsString(),
                  target.getAsJsonObject().get("legendFormat").getAsString()));
        }
      }
    }
    assertThat(targets).hasSizeGreaterThan(20);
    return targets;
  }

  /** The metrics of a query, each with the labels that the query and its legend name. */
  private static Map<String, Set<String>> shown(Target target) {
    Set<String> common = new TreeSet<>();
    BY.matcher(target.query())
        .results()
        .forEach(by -> common.addAll(List.of(by.group(1).split(",\\s*"))));
    common.remove(NODE);
    LEGEND.matcher(target.legend()).results().forEach(word -> common.add(word.group(1)));
    Map<String, Set<String>> metrics = new TreeMap<>();
    for (MatchResult metric : METRIC.matcher(target.query()).results().toList()) {
      Set<String> labels = new TreeSet<>(common);
      MATCHER
          .matcher(Objects.requireNonNullElse(metric.group(2), ""))
          .results()
          .forEach(label -> labels.add(label.group(1)));
      metrics.merge(metric.group(1), labels, DashboardTest::both);
    }
    return metrics;
  }

  private static Set<String> both(Set<String> one, Set<String> other) {
    Set<String> both = new TreeSet<>(one);
    both.addAll(other);
    return both;
  }
}
