/** Who there is: users with what they may do, and the tokens by which they and connectors come. For admins. */
import { useLocation } from 'wouter'
import { goTo } from '../../app/hash-location.ts'
import { Tabs } from '../../ui/controls/tabs.tsx'
import { TokenList } from './token-list.tsx'
import { UserList } from './user-list.tsx'
import '../../ui/picking/picking.css'
import './people.css'

export default function PeoplePage() {
  const [path] = useLocation()
  const [, , tab = 'users'] = path.split('/')
  return (
    <div className="page">
      <header className="page-head">
        <h1>People</h1>
      </header>
      <div className="page-lists">
        <Tabs
          label="People"
          value={tab}
          onChange={(next) => goTo(next === 'users' ? '/people' : `/people/${next}`)}
          tabs={[
            { id: 'users', label: 'Users', content: <UserList /> },
            { id: 'tokens', label: 'Tokens', content: <TokenList /> },
          ]}
        />
      </div>
    </div>
  )
}
