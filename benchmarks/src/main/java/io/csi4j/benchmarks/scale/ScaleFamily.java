package io.csi4j.benchmarks.scale;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.csi4j.benchmarks.Comparison;
import io.csi4j.benchmarks.Report;
import io.csi4j.benchmarks.Unit;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.ExpectedInstances;
import io.csi4j.volume.catalog.PluginView;
import io.csi4j.volume.catalog.VolumeFilter;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.etcd.EtcdSettings;
import io.csi4j.volume.claim.etcd.EtcdStore;
import io.csi4j.volume.claim.jdbc.JdbcSettings;
import io.csi4j.volume.claim.jdbc.PostgresStore;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.controller.VolumeController.PageRequest;
import io.csi4j.volume.internal.catalog.CatalogCodec;
import io.csi4j.volume.internal.catalog.CatalogRecord;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.internal.store.RecordValues.Seen;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.local.MemoryStore;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Fills a store with volumes and claims, and measures a control plane on it. The arguments are
 * RESULTS SECONDS VOLUMES CLAIMS ADDRESS.... ADDRESS is the address of etcd ({@code http:}) or
 * PostgreSQL ({@code jdbc:}) without other users.
 */
public final class ScaleFamily {

  private static final PluginId PLUGIN = PluginId.of("plugin");
  private static final int[] CALLERS = {1, 64};
  private static final int PAGE = 100;

  /** Number of records in a page when a control plane reads its catalog. */
  private static final int READ = 500;

  private static final int WINDOWS = 6;
  private static final int WARM_UPS = 1;
  private static final int STARTS = 3;

  /** Number of bare records that are created in one transaction. */
  private static final int FILLED = 100;

  private final int volumes;
  private final int claims;
  private final long windowMillis;
  private final List<Comparison> rows = new ArrayList<>();

  private ScaleFamily(int volumes, int claims, long windowMillis) {
    this.volumes = volumes;
    this.claims = claims;
    this.windowMillis = windowMillis;
  }

  /** Runs the measurements, and writes the report. */
  public static void main(String[] args) throws Exception {
    long seconds = Long.parseLong(args[1]);
    int volumes = Integer.parseInt(args[2]);
    int claims = Integer.parseInt(args[3]);
    List<String> addresses = List.of(args).subList(4, args.length);
    // There are two sides and two numbers of callers. A third of the time is reserved for filling
    // and reading.
    long windows = 2L * CALLERS.length * (WINDOWS + WARM_UPS) * addresses.size();
    ScaleFamily family = new ScaleFamily(volumes, claims, Math.max(500, 400 * seconds / windows));
    for (String address : addresses) {
      family.measure(address);
    }
    new Report(
            "Scale",
            "A control plane on a store with "
                + volumes
                + " volumes and "
                + claims
                + " claims. A claim reads its record and writes it, and is durable when it is"
                + " answered; the first row of each store is the time in which all callers"
                + " together make one, so less is more throughput. Size is the number of callers,"
                + " or of records.",
            family.rows)
        .write(Path.of(args[0]), "scale");
  }

  private static RecordStore open(String address, HikariDataSource pool) {
    return address.startsWith("jdbc:")
        ? PostgresStore.open(pool, JdbcSettings.defaults())
        : EtcdStore.open(EtcdSettings.of(URI.create(address)));
  }

  private static HikariDataSource pool(String address) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(
        address.startsWith("jdbc:") ? address : "jdbc:postgresql://127.0.0.1:1/none?user=none");
    config.setMaximumPoolSize(16);
    config.setMinimumIdle(0);
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }

  private void measure(String address) throws Exception {
    String product = address.startsWith("jdbc:") ? "PostgreSQL" : "etcd";
    try (HikariDataSource pool = pool(address);
        RecordStore store = open(address, pool);
        BareRecords bare =
            address.startsWith("jdbc:") ? new BarePostgres(pool) : new BareEtcd(address)) {
      fill(store, bare);
      claim(product, store, bare);
      starts(product, address, pool, bare);
      try (VolumeController controller = control(store)) {
        page(product, controller, bare);
      }
    }
  }

  private static VolumeKey key(int number) {
    return VolumeKey.of("volume-%07d".formatted(number));
  }

  private static byte[] value(int number, CatalogCodec codec) {
    return codec.encode(record(number), UUID.randomUUID(), UnknownFields.NONE);
  }

  private static CatalogRecord record(int number) {
    VolumeSpec spec =
        VolumeSpec.builder(PLUGIN)
            .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
            .capacity(CapacityRange.atLeast(1L << 30))
            .parameters(Map.of("type", "ssd"))
            .build();
    CatalogVolume volume =
        CatalogVolume.builder(key(number), spec, VolumeId.of("vol-" + UUID.randomUUID()))
            .capacityBytes(1L << 30)
            .build();
    return CatalogRecord.of(CatalogEntry.of(volume, Optional.of("csi4j-" + UUID.randomUUID())));
  }

  /** Writes the volumes, and the same number of bare records of the same size. */
  private void fill(RecordStore store, BareRecords bare) throws Exception {
    RecordValues<CatalogRecord> values = new RecordValues<>(store, new CatalogCodec());
    writeAll(store, values, 0, volumes, ScaleFamily::record);
    byte[] bytes = value(0, new CatalogCodec());
    inParallel(
        (volumes + FILLED - 1) / FILLED,
        batch ->
            bare.fill(
                IntStream.range(batch * FILLED, Math.min(volumes, (batch + 1) * FILLED))
                    .mapToObj(i -> "volume/" + key(i).id())
                    .toList(),
                bytes));
  }

  /** Writes new records, with as many records in each write as the store accepts. */
  private static <T> void writeAll(
      RecordStore store, RecordValues<T> values, int from, int to, IntFunction<T> made)
      throws Exception {
    RecordKey.Space space =
        made.apply(from) instanceof Claim ? RecordKey.Space.CLAIMS : RecordKey.Space.VOLUMES;
    int together = store.together();
    inParallel(
        Math.max(0, (to - from + together - 1) / together),
        batch -> {
          List<RecordWrite> writes = new ArrayList<>();
          int begin = from + batch * together;
          for (int i = begin; i < Math.min(to, begin + together); i++) {
            Seen<T> none =
                new Seen<>(
                    RecordKey.of(space, key(i)),
                    Optional.empty(),
                    Optional.empty(),
                    UnknownFields.NONE);
            writes.add(values.draft(none, Optional.of(made.apply(i))));
          }
          if (!(store.write(writes) instanceof WriteResult.Written)) {
            throw new IllegalStateException("A record is there already.");
          }
        });
  }

  /** The work for one number. */
  private interface Each {
    void run(int number) throws Exception;
  }

  private static void inParallel(int count, Each work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(32);
    try {
      AtomicInteger next = new AtomicInteger();
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < 32; t++) {
        running.add(
            threads.submit(
                () -> {
                  for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
                    work.run(i);
                  }
                  return null;
                }));
      }
      for (Future<?> each : running) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static void claim(ClaimBook book, int number) {
    var unused =
        book.claim(
            ClaimRequest.builder(
                    VolumeUse.of(key(number), WorkloadId.of("workload-" + number)),
                    NodeName.of("node-" + number % 100),
                    new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
                    ClaimMode.WRITE)
                .build());
  }

  /** Claims volumes one after the other, alternately with bare writes of the same bytes. */
  private void claim(String product, RecordStore store, BareRecords bare) throws Exception {
    ClaimBook book = new ClaimBook(store, Clock.systemUTC());
    claim(book, 0);
    byte[] bytes =
        new ClaimCodec().encode(book.read(key(0)), UUID.randomUUID(), UnknownFields.NONE);
    AtomicInteger next = new AtomicInteger(1);
    AtomicInteger bareNext = new AtomicInteger();
    String limit = "a bare conditional write of the same bytes";
    int most = claims / (CALLERS.length * (WINDOWS + WARM_UPS)) - 1;
    for (int callers : CALLERS) {
      List<Latencies> our = new ArrayList<>();
      List<Latencies> their = new ArrayList<>();
      for (int round = -WARM_UPS; round < WINDOWS; round++) {
        Latencies ours =
            Latencies.of(callers, windowMillis, most, () -> claim(book, next.getAndIncrement()));
        Latencies theirs =
            Latencies.of(
                callers,
                windowMillis,
                most,
                () -> bare.write("claim/" + bareNext.getAndIncrement(), bytes));
        if (round >= 0) {
          our.add(ours);
          their.add(theirs);
        }
      }
      rows.add(
          Comparison.ofTimes(
              "a claim in " + product,
              limit,
              callers,
              our.stream().map(Latencies::nanosEach).toList(),
              their.stream().map(Latencies::nanosEach).toList(),
              Optional.empty()));
      for (int percent : new int[] {50, 99}) {
        rows.add(
            Comparison.ofTimes(
                "a claim in " + product + ", p" + percent,
                limit,
                callers,
                our.stream().map(each -> each.percentile(percent)).toList(),
                their.stream().map(each -> each.percentile(percent)).toList(),
                Optional.empty()));
      }
    }
    writeAll(
        store,
        new RecordValues<>(store, new ClaimCodec()),
        next.get(),
        claims,
        ScaleFamily::claimOf);
  }

  /** Returns a claim of the volume with this number, like a granted claim. */
  private static Claim claimOf(int number) {
    try (MemoryStore memory = new MemoryStore()) {
      ClaimBook book = new ClaimBook(memory, Clock.systemUTC());
      claim(book, number);
      return book.read(key(number));
    }
  }

  private static VolumeController control(RecordStore store) {
    return VolumeController.builder(InMemoryPluginRegistry.open(), store)
        .claims(store)
        .controlPlane("scale")
        .open();
  }

  /**
   * Measures the start of a control plane until it shows all volumes, and the heap that the volumes
   * take.
   */
  private void starts(String product, String address, HikariDataSource pool, BareRecords bare)
      throws Exception {
    List<Double> ours = new ArrayList<>();
    List<Double> theirs = new ArrayList<>();
    List<Double> heap = new ArrayList<>();
    for (int i = -1; i < STARTS; i++) {
      long before = used();
      long begun = System.nanoTime();
      try (RecordStore store = open(address, pool);
          VolumeController controller = control(store)) {
        int there = controller.volumes().size();
        double nanos = System.nanoTime() - begun;
        if (there != volumes) {
          throw new IllegalStateException(there + " volumes are shown.");
        }
        long after = used();
        if (i >= 0) {
          ours.add(nanos);
          heap.add((double) (after - before) / volumes);
        }
      }
      begun = System.nanoTime();
      if (bare.all(READ) == 0) {
        throw new IllegalStateException("Nothing was read.");
      }
      if (i >= 0) {
        theirs.add((double) (System.nanoTime() - begun));
      }
    }
    rows.add(
        Comparison.ofTimes(
            "start of a control plane on " + product,
            "bare reads of all records, and of as many as there were bare claims",
            volumes,
            ours,
            theirs,
            Optional.empty()));
    rows.add(
        Comparison.alone(
            "heap for each volume, on " + product, volumes, Unit.BYTES, heap, Optional.empty()));
  }

  private static long used() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private void page(String product, VolumeController controller, BareRecords bare)
      throws Exception {
    List<Double> ours = new ArrayList<>();
    List<Double> theirs = new ArrayList<>();
    for (int i = -5; i < 5 * WINDOWS; i++) {
      int from = Math.floorMod(i * 7919, volumes - PAGE - 1);
      String token = "7:default" + key(from).id();
      long begun = System.nanoTime();
      int shown =
          controller
              .summaries(
                  VolumeFilter.all().ofPlugin(PLUGIN),
                  new PageRequest(PAGE, Optional.of(token)),
                  plugin -> PluginView.of(plugin, Map.of(), ExpectedInstances.NONE))
              .volumes()
              .size();
      double our = System.nanoTime() - begun;
      if (shown != PAGE) {
        throw new IllegalStateException(shown + " volumes are on a page.");
      }
      begun = System.nanoTime();
      if (bare.page("volume/" + key(from).id(), PAGE) == 0) {
        throw new IllegalStateException("Nothing was read.");
      }
      double their = System.nanoTime() - begun;
      if (i >= 0) {
        ours.add(our);
        theirs.add(their);
      }
    }
    rows.add(
        Comparison.ofTimes(
            "a page of a list with the claims, on " + product,
            "one bare read of as many records",
            PAGE,
            ours,
            theirs,
            Optional.empty()));
  }
}
