package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each page whose Java blocks are regions of a source that is compiled. */
class EachPageTest {

  @ParameterizedTest
  @CsvSource({
    "catalog.md, CatalogSnippets.java",
    "claims.md, ClaimsSnippets.java",
    "client.md, ClientSnippets.java",
    "cluster.md, ClusterSnippets.java",
    "health.md, HealthSnippets.java",
    "metrics.md, MetricsSnippets.java",
    "mounts.md, MountsSnippets.java",
    "plugins.md, PluginsSnippets.java",
    "storage.md, StorageSnippets.java",
    "stores.md, StoresSnippets.java",
    "tenants.md, TenantSnippets.java",
    "testing-with-csi4j.md, TestingSnippets.java",
    "volumes.md, VolumesSnippets.java",
    "wire.md, WireSnippets.java",
    "workloads.md, WorkloadSnippets.java"
  })
  void everyJavaBlockIsARegionOfASourceThatIsCompiled(String name, String source)
      throws IOException {
    Page page = Page.of("docs/" + name, source);
    Map<String, String> regions = page.regions();
    assertThat(regions).isNotEmpty();
    if (Page.regenerating()) {
      page.regenerate(regions);
    }
    Map<String, String> blocks = page.javaBlocks();
    // Whole programs have tests of their own.
    blocks.keySet().removeIf(block -> block.startsWith("file: "));
    assertThat(blocks).as(page.stale()).isEqualTo(regions);
  }
}
