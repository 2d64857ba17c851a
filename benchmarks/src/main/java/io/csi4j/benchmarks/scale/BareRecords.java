package io.csi4j.benchmarks.scale;

import java.util.List;

/** Records in a server, written and read with its bare client. */
interface BareRecords extends AutoCloseable {

  /** Creates a record, on the condition that it does not exist. */
  void write(String key, byte[] value) throws Exception;

  /** Creates many new records in one transaction. */
  void fill(List<String> keys, byte[] value) throws Exception;

  /** Reads a page of records in the order of their keys, and returns the number of bytes. */
  long page(String after, int limit) throws Exception;

  /** Reads all records page by page, and returns the number of bytes. */
  long all(int pageSize) throws Exception;

  @Override
  void close();
}
