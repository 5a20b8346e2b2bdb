import { memo, useState } from 'react';
import { Button } from '@/components/Button';

type Props = { items: string[]; onPick?(item: string): void };

/** A list to pick from. */
export function Picker({ items, onPick }: Props) {
  const [query, setQuery] = useState<string>('');
  const handleChange = (event: React.ChangeEvent<HTMLInputElement>) => {
    setQuery(event.target.value);
  };
  return (
    <ul>
      <input value={query} onChange={handleChange} />
      {items.filter((item) => item.includes(query)).map((item) => (
        <Button key={item} onClick={() => onPick?.(item)}>{item}</Button>
      ))}
    </ul>
  );
}

export const Row = memo(({ children }: React.PropsWithChildren) => <li>{children}</li>);

export default () => <Picker items={[]} />;
