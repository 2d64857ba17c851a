package io.csi4j.benchmarks.scale;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Records as keys in etcd, through jetcd. */
final class BareEtcd implements BareRecords {

  private static final String PREFIX = "/bare/";

  private final Client client;
  private final KV kv;

  BareEtcd(String endpoint) {
    client = Client.builder().endpoints(endpoint).build();
    kv = client.getKVClient();
  }

  private static ByteSequence bytes(String text) {
    return ByteSequence.from(text, StandardCharsets.UTF_8);
  }

  @Override
  public void write(String key, byte[] value) throws Exception {
    ByteSequence name = bytes(PREFIX + key);
    boolean isWritten =
        kv.txn()
            .If(new Cmp(name, Cmp.Op.EQUAL, CmpTarget.modRevision(0)))
            .Then(Op.put(name, ByteSequence.from(value), PutOption.DEFAULT))
            .commit()
            .get()
            .isSucceeded();
    if (!isWritten) {
      throw new IllegalStateException("The key is there already.");
    }
  }

  @Override
  public void fill(List<String> keys, byte[] value) throws Exception {
    var unused =
        kv.txn()
            .Then(
                keys.stream()
                    .map(key -> bytes(PREFIX + key))
                    .map(key -> Op.put(key, ByteSequence.from(value), PutOption.DEFAULT))
                    .toArray(Op[]::new))
            .commit()
            .get();
  }

  private List<KeyValue> read(ByteSequence from, int limit) throws Exception {
    return kv.get(from, GetOption.builder().withRange(bytes("/bare0")).withLimit(limit).build())
        .get()
        .getKvs();
  }

  private static long size(List<KeyValue> page) {
    return page.stream().mapToLong(each -> each.getValue().size()).sum();
  }

  @Override
  public long page(String after, int limit) throws Exception {
    return size(read(bytes(PREFIX + after + "\0"), limit));
  }

  @Override
  public long all(int pageSize) throws Exception {
    long size = 0;
    ByteSequence from = bytes(PREFIX);
    while (true) {
      List<KeyValue> page = read(from, pageSize);
      size += size(page);
      if (page.size() < pageSize) {
        return size;
      }
      from = page.get(page.size() - 1).getKey().concat(bytes("\0"));
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
